import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AncestryBlock, type AncestryProcess, traceAncestry } from '../../src/annotate/ancestry.ts';

/** A process whose number is its start time, too. */
const at = (pid: number, ppid: number, sid: number, pgid = pid, startTicks = pid): AncestryProcess => ({
  ...{ pid, ppid, pgid, sid, startTicks },
});
const tableOf = (...processes: AncestryProcess[]) => new Map(processes.map((process) => [process.pid, process]));
const known = (pid: number) => ({ pid, startTicks: pid });

const trace = (pid: number, processes: readonly AncestryProcess[], block?: AncestryBlock): string =>
  (traceAncestry(pid, tableOf(...processes), block) ?? [])
    .slice(1)
    .map(({ pid: ancestor, status, link }) => `${link}:${ancestor ?? '?'}${status === 'exited' ? '!' : ''}`)
    .join(' ');

/** init 1, shell 100 (session 100), agentmux-run 110, agent 120. */
const above = [at(1, 0, 1), at(100, 1, 100), at(110, 100, 100, 110), at(120, 110, 100, 110)];
const block = (members: readonly number[], fields: Partial<AncestryBlock> = {}): AncestryBlock => ({
  members: new Set([120, ...members]),
  runs: [{ root: known(120), wrapper: known(110), callerSids: [100, 1] }],
  callPid: undefined,
  ...fields,
});

describe('traceAncestry in a block', () => {
  it('goes by live parents through the agent up to the top', () => {
    const tools = [at(130, 120, 130), at(140, 130, 130, 130)];
    expect(trace(140, [...above, ...tools], block([130, 140]))).toBe(
      'parent:130 parent:120 wrapper:110 parent:100 parent:1',
    );
  });

  it('names the leader of the group and of the session that have exited', () => {
    const orphan = at(150, 110, 130, 140);
    expect(trace(150, [...above, orphan], block([150]))).toBe(
      'group:140! session:130! root:120 wrapper:110 parent:100 parent:1',
    );
  });

  it('says that a parent has exited where it left no trace', () => {
    expect(trace(150, [...above, at(150, 110, 150, 150)], block([150]))).toBe(
      'unknown:?! root:120 wrapper:110 parent:100 parent:1',
    );
  });

  it('names the shell of the tool call, alive or exited', () => {
    const orphan = at(150, 1, 150);
    expect(trace(150, [...above, orphan], block([150], { callPid: 130 }))).toBe(
      'call:130! root:120 wrapper:110 parent:100 parent:1',
    );
    expect(trace(150, [...above, at(130, 120, 130), orphan], block([130, 150], { callPid: 130 }))).toBe(
      'unknown:?! call:130 parent:120 wrapper:110 parent:100 parent:1',
    );
  });

  it('goes on from a leader of the session that lives', () => {
    const tools = [at(130, 120, 130), at(150, 1, 130, 150)];
    expect(trace(150, [...above, ...tools], block([130, 150]))).toBe(
      'unknown:?! session:130 parent:120 wrapper:110 parent:100 parent:1',
    );
  });

  it('names an agent and an agentmux-run that have exited, and who called them', () => {
    const table = [at(1, 0, 1), at(100, 1, 100), at(150, 1, 130, 150)];
    expect(trace(150, table, block([150]))).toBe('session:130! root:120! wrapper:110! session:100 parent:1');
  });

  it('takes no younger process with a number that was used again for an ancestor', () => {
    const reused = [at(120, 1, 120, 120, 900), at(130, 1, 130, 130, 901), at(110, 1, 110, 110, 902)];
    expect(trace(150, [at(1, 0, 1), ...reused, at(150, 130, 130, 150)], block([150]))).toBe(
      'session:130! root:120! wrapper:110!',
    );
  });

  it('finds the run that a process was started in', () => {
    const runs = [
      { root: known(120), wrapper: known(110), callerSids: [] },
      { root: known(520), wrapper: known(510), callerSids: [] },
    ];
    expect(trace(150, [at(150, 1, 150)], block([150], { runs }))).toBe('unknown:?! root:120! wrapper:110!');
    expect(trace(550, [at(550, 1, 550)], block([550], { runs }))).toBe('unknown:?! root:520! wrapper:510!');
  });

  it('of the agent itself names the agentmux-run and what is above', () => {
    expect(trace(120, above, block([]))).toBe('wrapper:110 parent:100 parent:1');
  });
});

describe('traceAncestry of a process that is nobody’s', () => {
  it('goes by live parents', () => {
    expect(trace(110, above)).toBe('parent:100 parent:1');
  });

  it('tells a process that was handed over from one that its parent started', () => {
    expect(trace(200, [at(1, 0, 1), at(200, 1, 150, 150)])).toBe('group:150! adopter:1');
    expect(trace(200, [at(1, 0, 1), at(50, 1, 50), at(200, 50, 150, 200)])).toBe('session:150! adopter:50');
    expect(trace(200, [at(1, 0, 1), at(200, 1, 200)])).toBe('parent:1');
  });

  it('is empty-handed where nothing above can be seen, and knows no process that is not there', () => {
    expect(trace(200, [at(200, 199, 200)])).toBe('');
    expect(traceAncestry(5, new Map())).toBeUndefined();
  });
});

describe('traceAncestry', () => {
  it('ends, and names nobody twice, in any table', () => {
    const number = fc.integer({ min: 1, max: 12 });
    const processes = fc.array(
      fc.record({ pid: number, ppid: number, pgid: number, sid: number, startTicks: number }),
      { minLength: 1 },
    );
    const recorded = fc.record({ pid: number, startTicks: number });
    const blocks = fc.option(
      fc.record({
        members: fc.array(number).map((pids) => new Set(pids)),
        runs: fc.array(
          fc.record({ root: fc.option(recorded, { nil: undefined }), wrapper: recorded, callerSids: fc.array(number) }),
        ),
        callPid: fc.option(number, { nil: undefined }),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(processes, blocks, number, (table, inBlock, pid) => {
        const chain = traceAncestry(pid, tableOf(...table), inBlock) ?? [];
        const living = chain.filter(({ status }) => status === 'alive').map((ancestor) => ancestor.pid);
        expect(new Set(living).size).toBe(living.length);
        expect(chain.length).toBeLessThan(60);
      }),
    );
  });
});
