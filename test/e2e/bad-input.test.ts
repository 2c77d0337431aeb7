import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bins, createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { compileSchema, findFaults } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';
import { startSleeper } from '../helpers/processes.ts';
import { isAlive } from '../helpers/procfs.ts';
import { itIf } from '../helpers/skip.ts';

const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** One sentence, at most one hint of some lines, no stack, no control characters. */
const CLEAR_LINE = /^error: [^\n]+\n(hint: [^\n]+\n( {6}[^\n]+\n)*)?$/;

/** What may stand for the pids of the running test. */
const fill = (rig: { wrapper: number; stranger: number }, word: string) =>
  word
    .replace('WRAPPER', String(rig.wrapper))
    .replace('STRANGER', String(rig.stranger))
    .replace('OWN', String(process.pid));

const TABLE: readonly (readonly [status: number, ...argv: string[]])[] = [
  [2, 'nope'],
  [2, '--nope'],
  [2, 'claude'],
  [2, 'kill'],
  [2, 'kill', '0'],
  [2, 'kill', '1'],
  [2, 'kill', '-1'],
  [2, 'kill', '--', '-1'],
  [2, 'kill', '--'],
  [2, 'kill', ''],
  [2, 'kill', 'abc'],
  [2, 'kill', '2147483648'],
  [2, 'kill', '99999999999'],
  [2, 'kill', '-9'],
  [2, 'kill', '-OWN'],
  [2, 'kill', '-9', '-OWN'],
  [2, 'kill', '1.5'],
  [2, 'kill', '0x10'],
  [2, 'kill', ' 12'],
  [2, 'kill', 'OWN OWN'],
  [2, 'kill', 'STRANGER', '0'],
  [2, 'kill', ':0'],
  [2, 'kill', '-s', '0', 'STRANGER'],
  [2, 'kill', '--grace', '-1', 'STRANGER'],
  [2, 'kill-tree', '--grace', 'x'],
  [2, 'kill-tree', '--block', 'b1', 'STRANGER'],
  [2, 'wait', '--until', 'never'],
  [2, 'wait', '--timeout', 'x'],
  [2, 'prune', '--older-than', 'x'],
  [3, 'kill', '2147483647'],
  [3, 'kill', 'STRANGER'],
  [3, 'kill', '--block', 'b1', 'STRANGER'],
  [3, 'kill', '--block', 'nope', 'STRANGER'],
  [3, 'kill', ':1'],
  [3, 'kill-tree', '--block', 'nope'],
  [3, 'kill-tree', '--block', '../b1'],
  [3, 'kill-tree', '--block', ''],
  [3, 'wait', '--block', 'nope'],
  [5, 'kill', 'OWN'],
  [5, 'kill', 'WRAPPER'],
  [5, 'kill', '--block', 'b', 'STRANGER'],
  [5, 'kill-tree'],
  [5, 'kill-tree', '--block'],
  [5, 'kill-tree', '--block', 'b'],
  [5, 'kill-tree', '--block', 'far'],
  [1, 'kill-tree', '--block', 'torn'],
];

/** Two live blocks, one record of another machine, and one that cannot be read. */
async function prepare(rig: Rig) {
  const [b1] = [await startBlock(rig, 'b1'), await startBlock(rig, 'b2')];
  const tool = await b1.agent.startTool('exec sleep 4501');
  const path = (id: string) => join(rig.stateDirectory, 'blocks', `${id}.json`);
  const record = JSON.parse(readFileSync(path('b2'), 'utf8')) as Record<string, unknown>;
  writeFileSync(path('far'), JSON.stringify({ ...record, id: 'far', machineId: 'f'.repeat(32) }), { mode: 0o600 });
  writeFileSync(path('torn'), '{"sch', { mode: 0o600 });
  return { wrapper: b1.wrapper.pid, stranger: startSleeper().pid, tool, agent: b1.agent };
}

describe('bad input', () => {
  it('gives each its exit code and one clear line, and signals nothing', async () => {
    const rig = createRig();
    const facts = await prepare(rig);
    const faults: string[] = [];
    for (const [status, ...words] of TABLE) {
      const argv = words.map((word) => fill(facts, word));
      const result = await rig
        .agentmux(...argv)
        .start()
        .ended();
      const isRight = result.status === status && result.stdout === '' && CLEAR_LINE.test(result.stderr);
      if (!isRight) faults.push(`${JSON.stringify(argv)}: ${result.status} ${result.stdout}${result.stderr}`);
    }
    expect(faults).toEqual([]);
    expect([facts.stranger, facts.wrapper, facts.tool].every(isAlive)).toBe(true);
    await facts.agent.inspect();
  }, 120_000);

  it('says it as JSON too', async () => {
    const rig = createRig();
    const validate = compileSchema('error');
    for (const argv of [
      ['kill', '0'],
      ['kill', '--nope'],
      ['kill-tree', '--block', 'nope'],
      ['wait', '--until', 'x'],
    ]) {
      const { status, stdout } = await rig
        .agentmux(...argv, '--json')
        .start()
        .ended();
      const document = JSON.parse(stdout) as { readonly error: { readonly exitCode: number } };
      expect(findFaults(validate, document)).toEqual([]);
      expect(document.error.exitCode).toBe(status);
    }
  });

  it('does not pass over an AGENTMUX_BLOCKID that names no block', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    for (const command of ['kill-tree', 'wait']) {
      await rig
        .agentmux(command)
        .env('AGENTMUX_BLOCKID', 'nope')
        .stderr(/^error: AGENTMUX_BLOCKID names "nope"/)
        .status(3)
        .run();
    }
    await agent.inspect();
  });

  it('refuses a state directory that is not to be trusted, and signals nothing', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('exec sleep 4502');
    chmodSync(rig.stateDirectory, 0o777);
    const result = await rig.agentmux('kill', String(tool)).start().ended();
    expect(result.status).toBe(5);
    expect(result.stderr).toMatch(CLEAR_LINE);
    expect(isAlive(tool)).toBe(true);
    chmodSync(rig.stateDirectory, 0o700);
  });

  itIf(hasStrace, 'needs strace', 'makes no call that could signal anything', async () => {
    const rig = createRig();
    const facts = await prepare(rig);
    const log = join(rig.directory, 'strace');
    for (const argv of [
      ['kill', '0'],
      ['kill', '-1'],
      ['kill', '--', '-1'],
      ['kill', '1'],
      ['kill', `${facts.stranger}`],
    ]) {
      await rig
        .command(
          'strace',
          '-f',
          '-qq',
          '-e',
          'trace=kill,tkill,tgkill,pidfd_send_signal',
          '-o',
          log,
          process.execPath,
          bins.agentmux,
          ...argv,
        )
        .stderr(anything)
        .status(argv[1] === String(facts.stranger) ? 3 : 2)
        .run();
      expect(readFileSync(log, 'utf8').match(/kill\(|pidfd_send_signal\(/g) ?? []).toEqual([]);
    }
  });
});
