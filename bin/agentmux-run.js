#!/usr/bin/env node
const { main } = require('../dist/agentmux-run.cjs');
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
