const fs = require('node:fs');
const { basename, dirname, join } = require('node:path');

/** So many caches are kept: some commands of a few versions. */
const MAX_FILES = 40;

/**
 * The user's own code cache of a bundle, one for each command, so that it holds what that command runs:
 * `$XDG_CACHE_HOME/agentmux` or `~/.cache/agentmux`. What lies there is run as our own code, so it is used only if nobody
 * but this user, root included, may have written it. NODE_DISABLE_COMPILE_CACHE=1 turns it off, as it does Node's own.
 * Undefined where there is no such place. Never throws: without a cache a start is slower, and that is all.
 */
exports.open = (name, beside) => {
  const directory = findDirectory();
  const command = name === 'agentmux-run' ? 'run' : process.argv[2];
  // A word that is no command ends in a failure, and a failure leaves no cache: see writeAtExit.
  if (directory === undefined || !/^[a-z][a-z-]{0,20}$/.test(command ?? '')) return undefined;
  const file = join(directory, basename(beside).replace(/cache$/, `${command}.cache`));
  return {
    read: () => readOwn(directory, file),
    writeAtExit: (script) => {
      process.once('exit', (code) => {
        if (code === 0) write(directory, file, script);
      });
    },
  };
};

function findDirectory() {
  const { HOME, XDG_CACHE_HOME, NODE_DISABLE_COMPILE_CACHE } = process.env;
  // Elsewhere than on Unix a directory of the user's tells its owner in another way.
  if (process.geteuid === undefined || NODE_DISABLE_COMPILE_CACHE) return undefined;
  if (XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'agentmux');
  return HOME?.startsWith('/') ? join(HOME, '.cache/agentmux') : undefined;
}

function readOwn(directory, file) {
  try {
    if (!isOwn(fs.lstatSync(directory)) || !fs.existsSync(file)) return undefined;
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      const stat = fs.fstatSync(fd);
      return stat.isFile() && isOwn(stat) ? fs.readFileSync(fd) : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** Ours, and nobody else may write to it. */
function isOwn(stat) {
  return stat.uid === process.geteuid() && (stat.mode & 0o022) === 0;
}

/** Whole or not at all, and on the disk before it has its name: V8 would take a torn one for code. */
function write(directory, file, script) {
  const sibling = `${file}.${process.pid}.tmp`;
  try {
    makeDirectory(dirname(directory));
    makeDirectory(directory);
    if (!isOwn(fs.lstatSync(directory))) return;
    const fd = fs.openSync(sibling, 'wx', 0o600);
    try {
      fs.writeSync(fd, script.createCachedData());
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(sibling, file);
    removeOldest(directory);
  } catch {
    fs.rmSync(sibling, { force: true });
  }
}

/** Not those above: a home that is not there is not ours to make. */
function makeDirectory(directory) {
  if (!fs.existsSync(directory)) fs.mkdirSync(directory, { mode: 0o700 });
}

function removeOldest(directory) {
  const files = fs
    .readdirSync(directory)
    .filter((name) => /^agentmux(-[a-z]+)?\..*\.(cache|tmp)$/.test(name))
    .map((name) => ({ path: join(directory, name), writtenMs: fs.statSync(join(directory, name)).mtimeMs }))
    .sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { path } of files.slice(MAX_FILES)) fs.rmSync(path, { force: true });
}
