import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { openStore } from '../../src/state/file-store.ts';
import { createRig } from '../helpers/cli.ts';
import {
  createHostilePlatform,
  FIRST_PID,
  type HostileTexts,
  hostileHost,
  hostileIdentity,
} from '../helpers/hostile-platform.ts';
import { createMemoryContext, type MemoryContext } from '../helpers/memory-context.ts';
import { hasPty, ptyReason, startOnTerminal } from '../helpers/pty.ts';
import { escapesPattern, isNativeReader } from '../helpers/reader.ts';
import { itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Our own colours; everything else that begins with ESC is foreign. */
// biome-ignore lint/complexity/useRegexLiterals: the escape is easier to see so
const OWN = new RegExp('\x1b\\[(?:1|2|22|3[1-6]|39)m', 'g');
const FOREIGN = /[\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}\u200b\u200c\ufeff\u{e0000}-\u{e007f}]|(?!\n)\p{Cc}/u;

const hostilePieces = [
  ...[
    '\x1b[2J',
    '\x1b]0;owned\x07',
    '\x1b]52;c;aGk=\x1b\\',
    '\x1bP+q\x1b\\',
    '\x9b31m',
    '\x9d0;x\x9c',
    '\r',
    '\n',
    '\b',
    '\t',
  ],
  ...[
    '\x7f',
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200f',
    '\u2028',
    '\u{e0041}',
    '\ud800',
    '\udc00',
    '\ufeff',
    '99999 fake row',
  ],
];
const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...hostilePieces), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 6 })
  .map((pieces) => pieces.join(''));
const processTexts = fc.record<HostileTexts>({
  comm: hostileText,
  argv: fc.array(hostileText, { maxLength: 4 }),
  exe: hostileText,
  cwd: hostileText,
  tty: hostileText,
});
const blockTexts = fc.record({
  agent: hostileText,
  cwd: hostileText,
  tty: hostileText,
  detail: hostileText,
  code: hostileText,
  argv: fc.array(hostileText, { maxLength: 3 }),
  fileName: hostileText,
  status: fc.constantFrom('running', 'ended'),
  tracker: fc.constantFrom('scan', 'stub', 'cgroup'),
});
type BlockTexts = typeof blockTexts extends fc.Arbitrary<infer T> ? T : never;

const directory = mkdtempSync(join(tmpdir(), 'agentmux-untrusted-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let worlds = 0;

/** A machine and a state directory on which nothing can be trusted. */
function createWorld(processes: readonly HostileTexts[], block: BlockTexts, isTTY: boolean): MemoryContext {
  const platform = createHostilePlatform(processes);
  const stateDirectory = join(directory, String(++worlds));
  const blocks = join(stateDirectory, 'blocks');
  mkdirSync(blocks, { recursive: true, mode: 0o700 });
  writeFileSync(join(blocks, 'b1.json'), JSON.stringify(recordOf(block)), { mode: 0o600 });
  const fileName = block.fileName.replace(/[/\0]/g, '').slice(0, 40);
  writeFileSync(join(blocks, `${fileName}.json`), `{"id": ${JSON.stringify(block.fileName)}`, { mode: 0o600 });
  const { machineId } = hostileHost;
  const store = openStore({ directory: stateDirectory, uid: process.geteuid?.(), machineId });
  return createMemoryContext({ platform, store, isTTY, colorLevel: isTTY ? 1 : 0, columns: 100 });
}

function recordOf({ agent, cwd, tty, detail, code, argv, status, tracker }: BlockTexts): object {
  const confidence = { scan: 'best_effort', stub: 'none', cgroup: 'high' }[tracker];
  const run = { wrapper: hostileIdentity(99), root: hostileIdentity(FIRST_PID), argv, cwd, tty: tty.slice(0, 100) };
  return {
    ...{
      schemaVersion: 1,
      id: 'b1',
      tag: 'a'.repeat(32),
      machineId: 'machine',
      agent: agent.slice(0, 100),
      kind: 'agent',
    },
    ...{ parentId: null, createdAtMs: 1, state: status, leftovers: 'report' },
    tracker: {
      ...{ type: tracker, confidence, subreaper: false, scope: null, reasons: [{ code: code.slice(0, 100), detail }] },
      cgroupPath: tracker === 'cgroup' ? `/nowhere/${detail.replaceAll('/', '')}x` : null,
    },
    runs: [{ ...run, startedAtMs: 1, endedAtMs: null, exit: null, callerSids: [] }],
  };
}

const commands: readonly (readonly string[])[] = [
  ['ps'],
  ['ps', '--all', '--verbose', '--no-redact'],
  ['ps', '--all', '--format', '{{.pid}} {{.command}} {{.argv}} {{.cwd}} {{.exe}} {{.comm}} {{.tty}} {{.agent}}'],
  ['ps', '--all', '-q'],
  ['ps', '--all', '--json'],
  ['ports'],
  ['ports', '--json'],
  ['ports', '--format', '{{.port}} {{.command}} {{.cwd}} {{.worktree}}'],
  ['why', String(FIRST_PID + 1)],
  ['why', '--json', String(FIRST_PID)],
  ['doctor', '--untracked'],
  ['tree', '--all', '--verbose'],
  ['tree', '--all', '--format', '{{.depth}} {{.command}}'],
  ['tree', '--all', '--json'],
  ['blocks', '--all', '--verbose'],
  ['blocks', '--all', '--format', '{{.id}} {{.agent}} {{.runs}} {{.tracker}}'],
  ['blocks', '--all', '--json'],
  ['kill', '--block', 'b1', '--dry-run', String(FIRST_PID + 1)],
  ['kill', '--block', 'b1', '--dry-run', '--json', String(FIRST_PID + 1)],
  ['kill', '--block', 'b1', '--dry-run', `:${FIRST_PID}`],
  ['kill-tree', '--block', 'b1', '--dry-run'],
  ['kill-tree', '--block', 'b1', '--dry-run', '--json'],
  ['wait', '--block', 'b1', '--timeout', '1ms'],
  ['prune', '--dry-run'],
  ['prune', '--dry-run', '--json'],
];

/** Where a user's own words are printed back. */
const echoes: readonly ((word: string) => readonly string[])[] = [
  (word) => [word],
  (word) => ['ps', word],
  (word) => ['ps', '--json', '--block', `x${word}`],
  (word) => ['ps', '--filter', word],
  (word) => ['ps', '--sort', word],
  (word) => ['ps', '--format', `{{.${word}}}`],
  (word) => ['tree', '--block', `x${word}`],
  (word) => ['blocks', '--json', `--${word}`],
  (word) => ['kill', word],
  (word) => ['kill', '--json', '-s', word, '5'],
  (word) => ['kill-tree', '--block', `x${word}`, '--grace', word],
  (word) => ['wait', '--until', word],
  (word) => ['ports', word],
  (word) => ['ports', '--filter', `command=${word}`],
  (word) => ['why', word],
  (word) => ['init', word],
  (word) => ['help', word],
];

function expectClean(context: MemoryContext, argv: readonly string[]): void {
  for (const text of [context.stdout.text, context.stderr.text]) {
    const foreign = FOREIGN.exec(context.stdout.isTTY ? text.replace(OWN, '') : text);
    expect(foreign?.[0], argv.join(' ')).toBeUndefined();
    expect(text, argv.join(' ')).not.toMatch(/^99999 fake row/m);
  }
  expect(context.stderr.text, argv.join(' ')).not.toContain('internal:');
  if (!argv.includes('--json')) return;
  const document = JSON.parse(context.stdout.text) as { readonly schemaVersion: number };
  expect(document.schemaVersion).toBe(1);
}

describe('no command prints a control sequence that is not our own', () => {
  it('nor do completions, which hold one tab a line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(processTexts, { minLength: 2, maxLength: 4 }), blockTexts, async (texts, block) => {
        const context = createWorld(texts, block, false);
        await main(['__complete', '1', '--', 'kill', ''], context);
        for (const line of context.stdout.text.split('\n').slice(0, -1)) {
          expect(line).toMatch(/^[A-Za-z0-9._:=,-]+\t[^\t]*$/);
          expect(FOREIGN.exec(line.replace('\t', ' '))?.[0]).toBeUndefined();
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each(commands.map((argv) => [argv.join(' '), argv] as const))('agentmux %s', async (_title, argv) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(processTexts, { minLength: 2, maxLength: 4 }),
        blockTexts,
        fc.boolean(),
        async (texts, block, isTTY) => {
          const context = createWorld(texts, block, isTTY);
          await main(argv, context);
          expectClean(context, argv);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('whatever word a user types', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, fc.constantFrom(...echoes), async (word, argvOf) => {
        const argv = argvOf(word);
        const context = createWorld([], { ...CALM, fileName: 'torn' }, false);
        await main(argv, context);
        expectClean(context, argv);
      }),
      { numRuns: 300 },
    );
  });
});

const CALM: Omit<BlockTexts, 'fileName'> = {
  agent: 'x',
  cwd: '/',
  tty: 'x',
  detail: 'x',
  code: 'x',
  argv: ['x'],
  status: 'ended',
  tracker: 'scan',
};

describe('real processes that write into their own names', () => {
  const hostile = 'sleep\x1b]0;owned\x07\n99999 root fake row\x9b31m\u202e';
  const script = [
    'import ctypes,os,sys,time',
    'ctypes.CDLL(None).prctl(15, b"\\x1b[31m\\nfake)", 0, 0, 0)',
    'time.sleep(300)',
  ].join('\n');

  it('are shown escaped, and their JSON is theirs again', async () => {
    const rig = createRig();
    const child = ['python3', '-c', script, hostile];
    const start = `import subprocess; subprocess.run(['sh','-c','"$@"; true','sh',*${JSON.stringify(child)}])`;
    const running = rig.run('--block', 'b1', 'sh', '-c', 'python3 -c "$0"; true', start).start();
    const row = await waitFor('the hostile process', async () => {
      const { stdout } = await rig
        .agentmux('ps', '--json')
        .stdout(/[\s\S]*/)
        .stderr(/[\s\S]*/)
        .run();
      expect(stdout).not.toMatch(FOREIGN);
      const { rows } = JSON.parse(stdout) as { rows: { comm: string; command: string; argv: string[] | null }[] };
      return rows.find(
        ({ comm, command }) => comm.startsWith('\x1b') || (!isNativeReader && / root fake row/.test(command)),
      );
    });
    if (isNativeReader) expect(row.comm).toBe('\x1b[31m\nfake)');
    // By `ps` there are no words, and signs that it does not print.
    expect(row.argv?.at(-1)).toBe(isNativeReader ? hostile : undefined);
    for (const args of [
      ['ps'],
      ['ps', '--all', '--verbose'],
      ['tree'],
      ['kill', '--dry-run', '--block', 'b1', ':1'],
      ['blocks'],
    ]) {
      const result = await rig
        .agentmux(...args)
        .start()
        .ended();
      expect(result.stdout + result.stderr, args.join(' ')).not.toMatch(FOREIGN);
      expect(result.stdout, args.join(' ')).not.toMatch(/^99999/m);
    }
    running.kill('SIGTERM');
    await running.exited();
  });

  itIf(hasPty, ptyReason, 'send no control sequence to a terminal either', async () => {
    const rig = createRig();
    const running = rig.run('--block', 'b1', 'sh', '-c', '"$@"; true', 'sh', 'python3', '-c', script, hostile).start();
    await waitFor('the hostile process', async () => {
      const { stdout } = await rig
        .agentmux('ps')
        .stdout(/[\s\S]*/)
        .stderr(/[\s\S]*/)
        .run();
      return stdout.includes('fake row');
    });
    const terminal = startOnTerminal(rig, [
      process.execPath,
      join(process.cwd(), 'bin/agentmux.js'),
      'ps',
      '--no-trunc',
    ]);
    expect(await terminal.ended()).toBe(0);
    const own = terminal.screen.replace(OWN, '').replaceAll('\r\n', '\n');
    expect(own).toMatch(new RegExp(escapesPattern('\\\\x1b\\]0;owned\\\\x07\\\\n99999 root fake row')));
    expect(own).not.toMatch(FOREIGN);
    running.kill('SIGTERM');
    await running.exited();
  });
});
