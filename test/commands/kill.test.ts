import { describe, expect, it } from 'vitest';
import { settleForce } from '../../src/commands/shared/kill-options.ts';
import { main } from '../../src/main.ts';
import { createMemoryContext } from '../helpers/memory-context.ts';

/** Runs on a context whose platform and store must not be asked for. */
async function run(...argv: string[]) {
  const context = createMemoryContext();
  const status = await main(argv, context);
  return { status, stdout: context.stdout.text, stderr: context.stderr.text };
}

describe('agentmux kill', () => {
  it.each([
    ['0'],
    ['-1'],
    ['1'],
    ['--'],
    [''],
    ['abc'],
    ['2147483648'],
    ['99999999999'],
    ['-9'],
    ['-4711'],
    ['1.5'],
    ['0x10'],
    [' 12'],
    ['12 13'],
    [':0'],
    [':65536'],
    ['--', '-1'],
    ['--', '-9'],
    ['4711', '0'],
    ['4711', ''],
    ['-9', '--', '-4711'],
    ['--port', '0'],
    ['--port', 'http'],
    ['--port'],
    ['--grace', '-1', '4711'],
    ['--grace', 'soon', '4711'],
    ['-s', '0', '4711'],
    ['-s', 'NOPE', '4711'],
    ['-s', 'TERM', '-9', '4711'],
    ['-9', '--grace', '1', '4711'],
    ['--nope', '4711'],
    [],
  ])('refuses %j as wrong usage, in one line, and looks at nothing', async (...operands) => {
    const { status, stdout, stderr } = await run('kill', ...operands);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
  });

  it('says the same as JSON where that was asked for', async () => {
    const { status, stdout } = await run('kill', '--json', '0');
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, error: { code: 'bad-target', exitCode: 2 } });
  });

  it('shows control characters of an operand escaped', async () => {
    expect((await run('kill', '\u001b[31m\u202e')).stderr).toContain(String.raw`"\x1b[31m\u202e"`);
  });
});

describe('settleForce', () => {
  const platform = { os: 'linux' } as const;

  it.each([
    ['by default TERM, then KILL', {}, { signal: 'SIGTERM', graceMs: 4000 }],
    ['TERM by its number', { signal: '15' }, { signal: 'SIGTERM', graceMs: 4000 }],
    ['a grace', { grace: '500ms' }, { signal: 'SIGTERM', graceMs: 500 }],
    ['no grace', { grace: '0' }, { signal: 'SIGTERM', graceMs: 0 }],
    ['-9', { kill: true }, { signal: 'SIGKILL', graceMs: 0 }],
    ['-s KILL', { signal: 'kill' }, { signal: 'SIGKILL', graceMs: 0 }],
    ['another signal, sent once', { signal: 'HUP' }, { signal: 'SIGHUP', graceMs: undefined }],
    ['another signal, forced after a grace', { signal: 'INT', grace: '2' }, { signal: 'SIGINT', graceMs: 2000 }],
  ])('settles %s', (_title, raw, force) => {
    expect(settleForce(raw, { env: {}, platform })).toEqual(force);
  });

  it('ends at once where there are no signals, and says so of one that is asked for', () => {
    const context = { env: {}, platform: { os: 'win32', endsByForce: true } } as const;
    const atOnce = { signal: 'SIGKILL', graceMs: 0 };
    for (const raw of [{}, { signal: 'TERM' }, { signal: '9' }, { kill: true }, { grace: '5' }]) {
      expect(settleForce(raw, context)).toEqual(atOnce);
    }
    expect(() => settleForce({ signal: 'HUP' }, context)).toThrow(/"HUP" cannot be sent on this system/);
    expect(() => settleForce({ signal: 'INT', grace: '2' }, context)).toThrow(/no signals/);
    expect(() => settleForce({ grace: 'soon' }, context)).toThrow(/no time for --grace/);
  });

  it('takes the grace of the environment where no flag says otherwise, and only for TERM', () => {
    const context = { env: { AGENTMUX_GRACE: '2s' }, platform };
    expect(settleForce({}, context).graceMs).toBe(2000);
    expect(settleForce({ grace: '1' }, context).graceMs).toBe(1000);
    expect(settleForce({ signal: 'HUP' }, context).graceMs).toBeUndefined();
    expect(() => settleForce({}, { env: { AGENTMUX_GRACE: 'soon' }, platform })).toThrow(
      /"soon" is no time for AGENTMUX_GRACE/,
    );
  });
});
