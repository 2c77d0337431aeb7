import { defineConfig } from 'vitest/config';

/** Writes the results as JSON too, for a caller that adds up several runs. */
const report = process.env.AGENTMUX_TEST_REPORT;

/** Suites that start the built CLI: one file at a time on small machines, since each forks dozens of processes. */
const processSuite = { pool: 'forks', maxWorkers: 2, testTimeout: 60_000, hookTimeout: 60_000 } as const;
/** Where every look starts a program (`npm run test:ps`). */
const slowLooks = process.env.RIG_READER === undefined ? {} : { testTimeout: 240_000 };
const setupFiles = ['test/helpers/setup.ts'];

/** Each system's tests of the built CLI. Those of macOS hold on Linux too, with processes read by ps. */
const e2e: Readonly<Record<string, readonly string[]>> = {
  darwin: ['test/macos'],
  win32: ['test/windows'],
  linux: ['test/e2e', 'test/macos'],
};
/** Unit tests that look at procfs and cgroups, or start what only Linux has. */
const ofLinux = [
  'test/helpers/**',
  'test/platform/linux/**',
  'test/platform/posix/**',
  'test/trackers/{cgroup,chase,inspect,look,scan,select,sweep}.test.ts',
  'test/kill/{kill-members,step-outside,transaction}.test.ts',
  'test/calls/{bashwrap,moved-sessions,read-calls,read-marks,undo-quoting}.test.ts',
  'test/annotate/command.test.ts',
  'test/watch/gate.test.ts',
];
/** Unit tests that look at modes and owners of files, or start a shell. */
const ofUnix = ['test/platform/git-worktree.test.ts', 'test/state/{file-store,full-disk,locate}.test.ts'];
const left = process.platform === 'linux' ? [] : process.platform === 'win32' ? [...ofLinux, ...ofUnix] : ofLinux;
for (const pattern of left) process.stderr.write(`skipped: ${pattern}: not for ${process.platform}\n`);

export default defineConfig({
  test: {
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,macos,real-agents,systemd,torture,windows}/**', ...left],
          setupFiles,
          pool: 'forks',
          maxWorkers: 2,
          // Generous: some start dozens of shells, and machines of CI are shared.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: (e2e[process.platform] ?? ['test/macos']).map((folder) => `${folder}/**/*.test.ts`),
          setupFiles,
          ...processSuite,
          ...slowLooks,
        },
      },
      { test: { name: 'agents', include: ['test/real-agents/**/*.test.ts'], setupFiles, ...processSuite } },
      { test: { name: 'systemd', include: ['test/systemd/**/*.test.ts'], setupFiles, ...processSuite } },
      // On Windows itself; on Linux `npm run test:windows` runs these by Wine.
      { test: { name: 'windows', include: ['test/windows/**/*.test.ts'], setupFiles, ...processSuite } },
      { test: { name: 'torture', include: ['test/torture/**/*.test.ts'], setupFiles, ...processSuite } },
    ],
  },
});
