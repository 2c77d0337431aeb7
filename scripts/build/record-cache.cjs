// record-cache.cjs NAME [ARG…]: runs a bin and keeps what V8 compiled for it; see bin/load.js.
const { renameSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const loader = require('../../bin/load.js');

const [name, ...args] = process.argv.slice(2);
const filename = join(__dirname, '../../dist', `${name}.cjs`);
const path = loader.cachePath(filename, readFileSync(filename, 'utf8'));

loader
  .load(name)
  .main(args)
  .then((code) => {
    if (code !== 0) throw new Error(`${name} ${args.join(' ')}: exit code ${code}`);
    const sibling = `${path}.${process.pid}.tmp`;
    writeFileSync(sibling, loader.script.createCachedData());
    renameSync(sibling, path);
  });
