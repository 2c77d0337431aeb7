// record-cache.cjs NAME [ARG…]: runs a bundle and keeps what V8 compiled for it; see bin/load.js.
const { renameSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const loader = require('../../bin/load.js');

const [name, ...args] = process.argv.slice(2);
const filename = join(__dirname, '../../dist', `${name}.cjs`);
const path = loader.cachePath(filename, readFileSync(filename, 'utf8'));

const { main } = loader.load(name);
main(args)
  .then(async (code) => code || (name !== 'agentmux-run' ? await listOnTerminal() : 0))
  .then((code) => {
    if (code !== 0) throw new Error(`${name} ${args.join(' ')}: exit code ${code}`);
    const sibling = `${path}.${process.pid}.tmp`;
    writeFileSync(sibling, loader.script.createCachedData());
    renameSync(sibling, path);
  });

/** What a terminal is written by is compiled too: its place is taken by the null device, which is as good to write to. */
function listOnTerminal() {
  require('node:tty').isatty = () => true;
  process.env.TERM = 'xterm';
  return main(['ps', '--no-ports']);
}
