import { describe, expect, it } from 'vitest';
import type { Platform } from '../../../src/platform/platform.ts';
import { createPsPlatform } from '../../../src/platform/ps/ps-platform.ts';
import { ProgramError, type ProgramOutput, type RunProgram } from '../../../src/platform/ps/run-program.ts';
import { createTagReader } from '../../../src/trackers/tag-reader.ts';

const START = 'Mon Nov 30 21:41:17 2026';
const START_SECONDS = Date.UTC(2026, 10, 30, 21, 41, 17) / 1000;
const TAG = '00112233445566778899aabbccddeeff';

/** A process as the fake system has it. */
interface Fake {
  readonly pid: number;
  readonly ppid: number;
  readonly letters?: string;
  readonly start?: string;
  readonly name?: string;
  readonly command?: string;
  readonly environment?: string;
}

const SELF: Fake = { pid: 100, ppid: 1, letters: 'Ss', name: 'node' };

describe('createPsPlatform', () => {
  it('reads the table once for the questions of one moment, and never the process that listed', () => {
    const { platform, calls } = createWorld([SELF, { pid: 101, ppid: 100 }]);
    expect(platform.readTable().map(({ pid }) => pid)).toEqual([100, 101]);
    expect(platform.children(100)).toEqual([101]);
    expect(platform.readStat(101)?.ppid).toBe(100);
    expect(platform.identify(101)?.startTicks).toBe(START_SECONDS);
    expect(calls.filter((call) => call.includes('stat='))).toHaveLength(1);
  });

  it('looks again for a process that it did not see, and for none that had to be there', () => {
    const { platform, calls, processes } = createWorld([SELF]);
    platform.readTable();
    processes.push({ pid: 102, ppid: 100 });
    expect(platform.identify(102)?.pid).toBe(102);
    const before = calls.length;
    expect(platform.isAlive({ ...identityOf(platform, 103), startTicks: START_SECONDS })).toBe(false);
    expect(calls).toHaveLength(before);
  });

  it('signals no process that is another by now, nor one of another boot', () => {
    const { platform } = createWorld([SELF, { pid: 999_999_999, ppid: 100 }]);
    const identity = identityOf(platform, 999_999_999);
    expect(platform.signal({ ...identity, startTicks: START_SECONDS - 1 }, 'SIGTERM')).toBe('gone');
    expect(platform.signal({ ...identity, bootId: 'before' }, 'SIGTERM')).toBe('gone');
    expect(platform.signal({ ...identity, pidNamespace: 'x' }, 'SIGTERM')).toBe('denied');
    expect(platform.signal(identity, 'SIGTERM')).toBe('gone');
    expect(() => platform.signal({ ...identity, pid: 1 }, 'SIGTERM')).toThrow('refused');
  });

  it('takes a zombie for gone', () => {
    const { platform } = createWorld([SELF, { pid: 101, ppid: 100, letters: 'Z', name: '<defunct>' }]);
    expect(platform.identify(101)).toBeUndefined();
    expect(platform.isAlive(identityOf(platform, 101))).toBe(false);
    expect(platform.readDetails(101, { argv: true }).argv).toBeUndefined();
  });

  it('finds a tag in a shown environment, and knows of none in a hidden one', () => {
    const { platform } = createWorld([
      SELF,
      { pid: 101, ppid: 100, command: 'node x.js', environment: `HOME=/Users/max AGENTMUX_TAG=${TAG}` },
      { pid: 102, ppid: 100, command: 'sleep 5' },
    ]);
    expect(platform.findTag(101, new Set([TAG]))).toBe(TAG);
    expect(platform.findTag(102, new Set([TAG]))).toBeUndefined();
    expect(platform.readVariables(101, new Set(['HOME']))).toEqual(new Map([['HOME', '/Users/max']]));
    expect(platform.readVariables(102, new Set(['HOME']))).toBeUndefined();
  });

  it('looks once for the tags of all, however many have ended meanwhile', () => {
    const ended = Array.from({ length: 20 }, (_, index) => ({ pid: 200 + index, ppid: 1 }));
    const { platform, calls, processes } = createWorld([SELF, ...ended]);
    const pids = platform.readTable().map(({ pid }) => pid);
    processes.splice(1, ended.length);
    const before = calls.length;
    expect(pids.filter((pid) => platform.findTag(pid, new Set([TAG])) !== undefined)).toEqual([]);
    expect(calls.length - before).toBe(1);
  });

  it('throws where nothing can be read, instead of telling that there is nothing', () => {
    const missing: RunProgram = (file) => {
      throw new ProgramError(`there is no ${file}`);
    };
    const platform = createPlatform(missing);
    expect(() => platform.readTable()).toThrow(/cannot read processes by ps: there is no ps/);
    const blind = createPlatform(() => ({
      pid: 7,
      text: `    1     0     1    0     0 ??       Ss     0:00.00      0 ${START}     x\n`,
      status: 0,
    }));
    expect(() => blind.readTable()).toThrow(/did not show the process that asked/);
  });

  it.each([
    ['a signal', { status: null }],
    ['a status of its own', { status: 2 }],
    ['the status for nobody, but with a line', { status: 1, text: 'ps: out of memory\n' }],
  ])('throws where ps ends by %s before it has answered for one, instead of telling that it is gone', (_, end) => {
    const { platform, endBy } = createWorld([SELF, { pid: 999_999_999, ppid: 100 }]);
    const identity = identityOf(platform, 999_999_999);
    platform.readTable();
    endBy(end);
    expect(() => platform.signal(identity, 'SIGTERM')).toThrow(/cannot read processes by ps/);
    expect(() => platform.identify(102)).toThrow(/cannot read processes by ps/);
  });

  it('takes no list of environments that broke off for one without the tag', () => {
    const environment = `AGENTMUX_TAG=${TAG}`;
    const { platform, endBy } = createWorld([SELF, { pid: 101, ppid: 100, command: 'node x.js', environment }]);
    const isTagged = createTagReader(platform, new Set([TAG]));
    const stat = platform.readTable().find(({ pid }) => pid === 101);
    if (stat === undefined) throw new Error('it was not listed');
    endBy({ status: null });
    expect(() => isTagged(stat)).toThrow(/cannot read processes by ps: a signal ended ps/);
    endBy({});
    expect(isTagged(stat)).toBe(true);
  });

  it('knows of no listener of others, and of none at all without lsof', () => {
    const { platform } = createWorld([SELF, { pid: 101, ppid: 100 }]);
    expect(platform.readListeners([100, 101])).toEqual({ byPid: new Map(), denied: new Set([100, 101]) });
  });
});

function createWorld(initial: readonly Fake[]) {
  const processes = [...initial];
  const calls: string[] = [];
  let end: Partial<ProgramOutput> = {};
  const run: RunProgram = (file, args) => {
    calls.push([file, ...args].join(' '));
    if (file !== 'ps') throw new ProgramError(`there is no ${file}`);
    const asked = args.includes('-p') ? Number(args.at(-1)) : undefined;
    const listed =
      asked === undefined
        ? [...processes, { pid: 77, ppid: 100, name: 'ps' }]
        : processes.filter(({ pid }) => pid === asked);
    const lines = listed.map((one) =>
      args.includes('command=') ? commandLine(one, args.includes('-axwwE')) : tableLine(one),
    );
    const hasBroken = end.status !== undefined;
    return { pid: 77, text: hasBroken ? '' : lines.join(''), status: lines.length === 0 ? 1 : 0, ...end };
  };
  const endBy = (next: Partial<ProgramOutput>): void => {
    end = next;
  };
  return { platform: createPlatform(run), calls, processes, endBy };
}

function createPlatform(run: RunProgram): Platform {
  return createPsPlatform({
    system: 'darwin',
    run,
    pid: 100,
    uid: 501,
    lastResort: { node: 'node', script: undefined },
  });
}

function tableLine({ pid, ppid, letters = 'S', start = START, name = 'sleep' }: Fake): string {
  return `${pid} ${ppid} ${pid}    0   0 ??       ${letters}     0:00.10   1024 ${start}     ${name}\n`;
}

function commandLine(
  { pid, start = START, name = 'sleep', command = name, environment }: Fake,
  whole: boolean,
): string {
  return `${pid} ${start}     ${command}${whole && environment !== undefined ? ` ${environment}` : ''}\n`;
}

function identityOf(platform: Platform, pid: number) {
  return { pid, startTicks: START_SECONDS, bootId: platform.host().bootId, pidNamespace: '' };
}
