import { afterAll, beforeAll, expect, it } from 'vitest';
import { findByArgv } from '../helpers/procfs.ts';
import { describeIf } from '../helpers/skip.ts';
import { bringUpBed, powerOffBed, runInBed, type Setting } from './bed.ts';

interface Report {
  readonly blocks: readonly {
    readonly id: string;
    readonly tracker: {
      readonly type: string;
      readonly confidence: string;
      readonly scope: string | null;
      readonly reasons: readonly { readonly code: string }[];
    };
  }[];
  readonly rows: readonly { readonly command: string; readonly escaped: boolean; readonly confidence: string }[];
}

const reason = bringUpBed();
const bedTimeoutMs = 900_000;

/** A length for sleep(1) that marks the processes of one test, seen from the host too. */
let marker = 800_000_000 + process.pid * 100;

/** An agent that leaves one process in each of the ways to get away, and ends. */
function leakyAgent(mark: number): string {
  const ways = [
    `nohup sleep ${mark} >/dev/null 2>&1 &`,
    `setsid sleep ${mark} >/dev/null 2>&1 &`,
    `(setsid env -i /bin/sh -c 'cd /; sleep ${mark} & exit 0' >/dev/null 2>&1 </dev/null &)`,
    `sleep ${mark} >/dev/null 2>&1 & sleep 0.3`,
  ];
  return `cat > "$HOME/agent" <<'AGENT'\n#!/bin/bash\n${ways.join('\n')}\nAGENT\nchmod +x "$HOME/agent"\n`;
}

describeIf(reason === undefined, reason ?? '', 'a host that runs systemd', () => {
  beforeAll(() => {
    expect(bringUpBed()).toBeUndefined();
  }, bedTimeoutMs);
  afterAll(powerOffBed, bedTimeoutMs);

  it.each<[Setting, string]>([
    ['desktop', 'a child group or a scope of the user manager'],
    ['ssh', 'a scope of the user manager, out of the session'],
    ['su', 'a scope of the user manager, out of the session'],
  ])('from %s the tracker is a cgroup and nothing escapes: %s', (setting) => {
    const { report, survivors, stderr } = playLeak(setting);
    expect(report.blocks[0]?.tracker, stderr).toMatchObject({ type: 'cgroup', confidence: 'high' });
    expect(report.rows.filter(({ command }) => command.startsWith('sleep'))).toHaveLength(4);
    expect(report.rows.filter(({ escaped }) => escaped)).toEqual([]);
    expect(survivors).toEqual([]);
  });

  it.each<Setting>(['desktop', 'ssh', 'su'])(
    'from %s what is kept has a group of its own that nothing but --including-kept ends, with the scope if there is one',
    (setting) => {
      const mark = ++marker;
      const { stdout, stderr } = runInBed(
        setting,
        `agent='setsid sleep ${mark}1 & setsid sleep ${mark}2 & sleep 0.3'
        agentmux_run --block kept${mark} --leftovers report -- bash -c "$agent" 2>/dev/null
        kill_tree() { agentmux kill-tree --block kept${mark} --grace 0 --yes "$@" >/dev/null 2>&1; echo "rc=$?"; }
        look() { echo "$1: $(pgrep -fa '^sleep ${mark}' | cut -d' ' -f3 | sort | xargs)"; }
        entry=$(agentmux entries --block kept${mark} --format '{{.id}} {{.command}}' | grep ${mark}1 | cut -d' ' -f1)
        agentmux keep --block kept${mark} "$entry" --note wanted 2>&1; echo "rc=$?"
        cat /proc/$(pgrep -fo '^sleep ${mark}1')/cgroup
        kill_tree; look kept
        agentmux ps --block kept${mark} --format '{{.kept}} {{.escaped}} {{.confidence}}'
        agentmux release --block kept${mark} "$entry" >/dev/null 2>&1; echo "rc=$?"
        agentmux keep --block kept${mark} "$entry" >/dev/null 2>&1
        kill_tree --including-kept; look ended
        find /sys/fs/cgroup -name '*kept${mark}*' -type d`,
      );
      const seen = `${stdout}\n${stderr}`;
      expect(seen).toMatch(new RegExp(`agentmux-kept${mark}-[0-9a-f]{8}\\.kept$`, 'm'));
      expect(stdout.match(/^rc=\d+$/gm), seen).toEqual(['rc=0', 'rc=0', 'rc=0', 'rc=0']);
      expect(stdout, seen).toMatch(new RegExp(`^kept: ${mark}1$`, 'm'));
      expect(stdout, seen).toMatch(/^true false high$/m);
      expect(stdout, seen).toMatch(/^ended: $/m);
      expect(stdout.split(/^ended: $/m)[1]?.trim(), seen).toBe('');
    },
  );

  it('from a system service the run stays in its unit, by scan, and says why', () => {
    const { report, survivors } = playLeak('service');
    const [block] = report.blocks;
    expect(block?.tracker).toMatchObject({ type: 'scan', confidence: 'best_effort' });
    expect(block?.tracker.reasons.map(({ code }) => code)).toEqual(['not-delegated']);
    expect(report.rows.filter(({ command }) => command.startsWith('sleep'))).toHaveLength(4);
    expect(survivors).toEqual([]);
  });

  it('a scope costs the start of an agent at most 60 ms', () => {
    const script = `for i in 1 2 3 4 5 6 7 8 9; do for tracker in auto scan; do
      start=$(date +%s%N); end=$(agentmux_run --tracker $tracker --quiet -- date +%s%N); echo $tracker $(((end - start) / 1000))
    done; done`;
    const times = runInBed('ssh', script)
      .stdout.trim()
      .split('\n')
      .map((line) => line.split(' '));
    const of = (tracker: string) =>
      median(times.filter(([name]) => name === tracker).map(([, us]) => Number(us) / 1000));
    process.stderr.write(`first instruction: scope ${of('auto').toFixed(0)} ms, scan ${of('scan').toFixed(0)} ms\n`);
    expect(of('auto') - of('scan')).toBeLessThan(60);
  });
});

describeIf(reason === undefined, reason ?? '', 'a user who does not linger', () => {
  beforeAll(() => {
    powerOffBed();
    expect(bringUpBed({ linger: false })).toBeUndefined();
  }, bedTimeoutMs);
  afterAll(powerOffBed, bedTimeoutMs);

  it('is told by doctor and in the report of leftovers that a logout ends them', () => {
    const mark = ++marker;
    const { stdout, stderr } = runInBed(
      'ssh',
      `${leakyAgent(mark)} agentmux doctor; agentmux_run --block trap -- "$HOME/agent"; agentmux kill-tree --block trap --grace 0 --yes >/dev/null`,
    );
    expect(stdout).toMatch(/loginctl enable-linger/);
    expect(stderr).toMatch(/last logout.*loginctl enable-linger/);
  });
});

/** Lets the leaky agent run and end, looks, ends the block, and counts from the host what lives on. */
function playLeak(setting: Setting): { report: Report; survivors: number[]; stderr: string } {
  const mark = ++marker;
  const { stdout, stderr } = runInBed(
    setting,
    `${leakyAgent(mark)}
    agentmux_run --block leak${mark} --leftovers keep -- "$HOME/agent"
    agentmux ps --all --json --block leak${mark}
    agentmux kill-tree --block leak${mark} --grace 0 --yes >&2`,
  );
  return {
    report: JSON.parse(stdout || '{"blocks":[],"rows":[]}') as Report,
    survivors: findByArgv(`${mark}`),
    stderr,
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
