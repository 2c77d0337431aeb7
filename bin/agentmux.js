#!/usr/bin/env node
const { load } = require('./load.js');
load('agentmux')
  .main(process.argv.slice(2))
  .then((code) => {
    process.exitCode = code;
  });
