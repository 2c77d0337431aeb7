/** Loaded before every test file: a warning of Node (a leaked listener, a deprecation) fails the run. */
process.on('warning', (warning) => {
  throw warning;
});

// What the developer's own shell carries must not reach the code under test.
for (const name of Object.keys(process.env)) {
  if (name.startsWith('AGENTMUX_') && name !== 'AGENTMUX_TEST_REPORT') delete process.env[name];
}
