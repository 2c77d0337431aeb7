const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

/**
 * Loads a bundle of dist/ with a code cache for this very bundle and V8, if there is one: without it every start would
 * compile what the start before compiled already. It lies beside the bundle where the bundle was built; where it was
 * installed, the first start leaves one in the user's cache directory (user-cache.js). V8 itself checks of a source no
 * more than its length, hence the bundle's fingerprint (its last line) in the name of the cache.
 * @param name the bin
 * @param bundle the bundle, where it is not named like the bin
 * @returns the exports of the bundle; in a checkout that was not built a main that says so
 */
exports.load = (name, bundle = name) => {
  const filename = join(__dirname, '../dist', `${bundle}.cjs`);
  // The build writes ASCII: this encoding needs one read, 'utf8' one for each 8 KiB.
  const source = readFile(filename, 'latin1');
  if (source === undefined) return { main: () => sayNotBuilt(name, filename) };
  const beside = exports.cachePath(filename, source);
  let cachedData = readFile(beside);
  const users = cachedData === undefined ? require('./user-cache.js').open(name, beside) : undefined;
  cachedData ??= users?.read();
  // A function of the five below, as the build wrote it. Another V8, or other flags, and the cache is passed over.
  const script = new Script(source, { filename, cachedData });
  const module_ = { exports: {} };
  script.runInThisContext()(module_.exports, require, module_, filename, dirname(filename));
  exports.script = script;
  if (cachedData === undefined || script.cachedDataRejected) users?.writeAtExit(script);
  return module_.exports;
};

exports.cachePath = (filename, source) => {
  const fingerprint = source.slice(source.lastIndexOf('//# build=') + 10).trim();
  return filename.replace(/\.cjs$/, `.${fingerprint}.${process.versions.v8}-${process.arch}.cache`);
};

function readFile(path, encoding) {
  try {
    return readFileSync(path, encoding);
  } catch {
    return undefined;
  }
}

/** As every failure of the two before they do anything: 125 tells that no command was started. */
async function sayNotBuilt(name, filename) {
  process.stderr.write(`${name}: ${filename} cannot be read: in a checkout "npm run build" makes it\n`);
  return name === 'agentmux-run' ? 125 : 1;
}
