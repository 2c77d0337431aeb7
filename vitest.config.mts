import { defineConfig } from 'vitest/config';

/** Writes the results as JSON too, for a caller that adds up several runs. */
const report = process.env.AGENTMUX_TEST_REPORT;

/** Suites that start the built CLI: one file at a time on small machines, since each forks dozens of processes. */
const processSuite = { pool: 'forks', maxWorkers: 2, testTimeout: 60_000, hookTimeout: 60_000 } as const;
const setupFiles = ['test/helpers/setup.ts'];

export default defineConfig({
  test: {
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,real-agents,systemd,torture,windows}/**'],
          setupFiles,
          pool: 'forks',
          maxWorkers: 2,
          // Generous: some start dozens of shells, and machines of CI are shared.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], setupFiles, ...processSuite } },
      { test: { name: 'agents', include: ['test/real-agents/**/*.test.ts'], setupFiles, ...processSuite } },
      { test: { name: 'systemd', include: ['test/systemd/**/*.test.ts'], setupFiles, ...processSuite } },
      // On Windows itself; on Linux `npm run test:windows` runs these by Wine.
      { test: { name: 'windows', include: ['test/windows/**/*.test.ts'], setupFiles, ...processSuite } },
      { test: { name: 'torture', include: ['test/torture/**/*.test.ts'], setupFiles, ...processSuite } },
    ],
  },
});
