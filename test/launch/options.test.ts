import { describe, expect, it } from 'vitest';
import { LaunchError } from '../../src/errors.ts';
import { parseDuration } from '../../src/launch/duration.ts';
import { parseRunOptions, type RawRunOptions } from '../../src/launch/options.ts';

describe('parseDuration', () => {
  it.each([
    ['10', 10_000],
    ['0', 0],
    ['1.5s', 1500],
    ['.5', 500],
    ['500ms', 500],
    ['2m', 120_000],
    ['1h', 3_600_000],
  ])('reads "%s"', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '-1', '1d', 'x', '1e3', '1 s', ' 1', '0x10', 'NaN', 'Infinity', '99999999999'])(
    'refuses "%s"',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('parseRunOptions', () => {
  it('reports leftovers and chooses the tracker by itself if nothing is said', () => {
    const options = parseRunOptions({}, {});
    expect(options).toMatchObject({ leftovers: 'report', leftoversGiven: false, tracker: 'auto', require: undefined });
  });

  it('takes the environment where no flag is given, and the flag where one is', () => {
    const env = { AGENTMUX_LEFTOVERS: 'kill', AGENTMUX_TRACKER: 'scan' };
    expect(parseRunOptions({}, env)).toMatchObject({ leftovers: 'kill', leftoversGiven: true, tracker: 'scan' });
    const raw = { leftovers: 'keep', tracker: 'cgroup' };
    expect(parseRunOptions(raw, env)).toMatchObject({ leftovers: 'keep', tracker: 'cgroup' });
  });

  it('takes the configuration where neither a flag nor the environment says anything', () => {
    const config = { keep: ['gradle*'], leftovers: 'keep', grace: '2s', tracker: 'scan', labels: false } as const;
    const expected = { leftovers: 'keep', leftoversGiven: true, graceMs: 2000, tracker: 'scan', labels: false };
    expect(parseRunOptions({}, {}, config)).toMatchObject({ ...expected, keep: ['gradle*'] });
    const env = { AGENTMUX_LEFTOVERS: 'kill', AGENTMUX_GRACE: '3', AGENTMUX_TRACKER: 'auto' };
    expect(parseRunOptions({}, env, config)).toMatchObject({ leftovers: 'kill', graceMs: 3000, tracker: 'auto' });
    expect(parseRunOptions({ grace: '1s' }, env, config)).toMatchObject({ graceMs: 1000 });
  });

  it('takes an empty variable for none, and a time limit of 0 for no limit', () => {
    expect(parseRunOptions({ timeout: '0' }, { AGENTMUX_LEFTOVERS: '' })).toMatchObject({
      leftoversGiven: false,
      timeoutMs: undefined,
    });
  });

  it.each<[string, RawRunOptions, Record<string, string>, RegExp]>([
    ['an unknown policy', { leftovers: 'burn' }, {}, /--leftovers is one of report, kill, keep, ask, not "burn"/],
    [
      'an unknown policy in the environment',
      {},
      { AGENTMUX_LEFTOVERS: 'x' },
      /AGENTMUX_LEFTOVERS is one of .*, not "x"/,
    ],
    ['an unknown tracker', { tracker: 'ps' }, {}, /--tracker is one of/],
    ['a tracker that cannot be required', { require: 'scan' }, {}, /--require is one of cgroup, job/],
    ['a negative time', { timeout: '-1' }, {}, /--timeout takes a time/],
    ['a grace that is none', { grace: 'soon' }, {}, /--grace takes a time/],
    ['a descriptor below 3', { passFd: ['2'] }, {}, /--pass-fd takes the number/],
    ['a descriptor that is no number', { passFd: ['3', 'x'] }, {}, /--pass-fd .* not "x"/],
  ])('refuses %s with exit code 125', (_title, raw, env, message) => {
    const failure = catchError(() => parseRunOptions(raw, env));
    expect(failure).toBeInstanceOf(LaunchError);
    expect(failure.message).toMatch(message);
    expect(failure.exitCode).toBe(125);
  });
});

function catchError(action: () => unknown): LaunchError {
  try {
    action();
  } catch (error) {
    return error as LaunchError;
  }
  throw new Error('nothing was thrown');
}
