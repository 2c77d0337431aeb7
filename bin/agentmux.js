#!/usr/bin/env node
const { load } = require('./load.js');
const [, , ...argv] = process.argv;
load('agentmux', argv[0] === 'ps' ? 'agentmux-ps' : undefined)
  .main(argv)
  .then((code) => {
    process.exitCode = code;
  });
