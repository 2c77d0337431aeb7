import { describe, expect, it } from 'vitest';
import { LaunchError } from '../../src/errors.ts';
import type { BlockRecord } from '../../src/model/block.ts';
import type { Identity } from '../../src/model/identity.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { EnclosureError } from '../../src/platform/starter.ts';
import { JobLimit, PriorityClass } from '../../src/platform/windows/job-calls.ts';
import { inspectBlock } from '../../src/trackers/inspect.ts';
import { outliveWrapper, withSharedLimits } from '../../src/trackers/job-limits.ts';
import { createJobTracker } from '../../src/trackers/job-object.ts';
import { openJobOf } from '../../src/trackers/open-job.ts';
import { openTracker, planTrackers } from '../../src/trackers/select.ts';
import { type Tracker, TrackerError } from '../../src/trackers/tracker.ts';
import { FakeWindows } from '../helpers/fake-windows.ts';
import { blockRecord } from './block-record.ts';

const TAG = 'ab'.repeat(16);
const NAME = `Global\\agentmux-web-${TAG}`;
const ROOT = 100;

/** Processes of a fake Windows: each started at its pid's tick. */
function createWorld() {
  const windows = new FakeWindows();
  const identify = (pid: number): Identity | undefined =>
    windows.processes.has(pid) ? { pid, startTicks: pid, bootId: '', pidNamespace: '' } : undefined;
  const isAlive = ({ pid, startTicks }: Identity) => windows.processes.has(pid) && startTicks === pid;
  const tags = new Map<number, string>();
  const stat = (pid: number) => ({
    ...{ pid, ppid: 1, pgid: 0, sid: 0, ttyNr: 0, tpgid: -1, startTicks: pid, state: 'S', cpuMs: 5, rssBytes: 1 },
    comm: 'agent.exe',
  });
  const platform = {
    os: 'win32',
    host: () => ({ machineId: 'm', bootId: '', pidNamespace: '' }),
    identify,
    isAlive,
    readStat: (pid: number) => (windows.processes.has(pid) ? stat(pid) : undefined),
    readTable: () => [...windows.processes.keys()].map(stat),
    readDetails: () => ({ argv: undefined, exe: undefined }),
    children: () => [],
    findTag: (pid: number, wanted: ReadonlySet<string>) =>
      wanted.has(tags.get(pid) ?? '') ? tags.get(pid) : undefined,
    signal(identity: Identity) {
      if (!isAlive(identity)) return 'gone';
      windows.end(identity.pid);
      return 'sent';
    },
  } as unknown as Platform;
  const wrapper = { pid: 50, startTicks: 50, bootId: '', pidNamespace: '' };
  const plan = (options: Partial<Parameters<typeof planTrackers>[0]> = {}) =>
    planTrackers({
      ...{ platform, env: {}, kind: 'agent', blockId: 'web', tag: TAG, wrapper, win32: windows.win32 },
      ...options,
    });
  return { windows, platform, plan, tags };
}

type World = ReturnType<typeof createWorld>;

/** The job of a run, with the agent in it, as the starter makes it. */
async function startAgent(world: World, options: Parameters<World['plan']>[0] = {}) {
  const [plan] = world.plan(options);
  const tracker = await plan?.create();
  if (tracker === undefined) throw new Error('no plan');
  const { windows } = world;
  tracker.spawnInside((place) => {
    const job = windows.jobOf(place?.job);
    windows.start(ROOT, job).handles.push(...(place?.inherited ?? []).map((handle) => windows.jobOf(handle)));
  });
  return tracker;
}

function recordOf(tracker: Tracker, root = ROOT): BlockRecord {
  const identity = (pid: number) => ({ pid, startTicks: pid, bootId: '', pidNamespace: '' });
  return blockRecord({ id: 'web', tag: TAG, tracker: tracker.record, wrapper: identity(50), root: identity(root) });
}

/** The tracker of another command. */
function reopen({ windows, platform }: World, record: BlockRecord): Tracker {
  const deps = { win32: windows.win32, platform };
  return createJobTracker({ ...deps, record: record.tracker, open: (access) => openJobOf(record, deps, access) });
}

describe('the plan of a job', () => {
  it('is the first of the ways, then comes the scan, and without native code nothing can be known', () => {
    const { windows, plan } = createWorld();
    expect(plan().map(({ record }) => record.type)).toEqual(['job', 'scan']);
    expect(plan({ kind: 'terminal' }).map(({ record }) => record.type)).toEqual(['job', 'scan']);
    expect(plan({ forced: 'scan' }).map(({ record }) => record.reasons[0]?.code)).toEqual(['forced']);
    const status = () => ({ type: 'unavailable' as const, reason: 'no such module' });
    const [stub] = plan({ win32: { ...windows.win32, status } });
    expect(stub?.record).toMatchObject({ type: 'stub', reasons: [{ code: 'no-native', detail: 'no such module' }] });
  });

  it('carries the nonce in the name, in the namespace of all sessions', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    expect(tracker.record).toMatchObject({ type: 'job', confidence: 'high', job: { name: NAME, flags: 0 } });
    expect([...world.windows.jobs.keys()]).toEqual([NAME]);
  });

  it('is not made over a job of that name of another user: the next name, and if that is taken, the reason', async () => {
    const { windows, plan } = createWorld();
    const squat = (name: string) => {
      const job = Object.assign(windows.makeJob(name), { owner: 'S-1-5-21-9' });
      windows.start(name.length).handles.push(job);
    };
    squat(NAME);
    const local = `Local\\agentmux-web-${TAG}`;
    const tracker = await plan()[0]?.create();
    expect(tracker?.record.job?.name).toBe(local);
    tracker?.dispose();
    squat(local);
    await expect(plan()[0]?.create()).rejects.toThrow(expect.objectContaining({ code: 'job-foreign' }));
    expect(windows.openHandles).toBe(0);
  });

  it('says by its code why Windows made none', async () => {
    const { windows, plan } = createWorld();
    windows.failing.set('CreateJobObjectW', 5);
    const failure = await plan()[0]
      ?.create()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TrackerError);
    expect(failure).toMatchObject({
      code: 'job-denied',
      message: expect.stringContaining('CreateJobObjectW: error 5'),
    });
  });

  it('takes the job of an earlier run again, with the priority that was set on it', async () => {
    const world = createWorld();
    const first = await startAgent(world);
    first.setBelowNormalPriority(true);
    const previous = recordOf(first);
    world.windows.closeOurs();
    const again = await world.plan({ previous })[0]?.create();
    expect(again?.memberPids()).toEqual([ROOT]);
    expect(world.windows.jobs.get(NAME)?.flags).toBe(JobLimit.priorityClass);
  });
});

describe('a job', () => {
  it('lists more members than a first read has room for', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    const { windows } = world;
    const job = windows.jobs.get(NAME);
    for (let pid = 1000; pid < 2500; pid += 1) windows.start(pid, job as never);
    expect(tracker.memberPids()).toHaveLength(1501);
    expect(reopen(world, recordOf(tracker)).memberPids()).toHaveLength(1501);
    expect(windows.calls.filter((name) => name === 'QueryInformationJobObject').length).toBeLessThan(10);
  });

  it('counts the CPU of members that have exited, and says nothing where the system counts nothing', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    expect(tracker.cpuTimeNs()).toBeUndefined();
    Object.assign(world.windows.jobs.get(NAME) ?? {}, { userTime: 30n, kernelTime: 12n });
    expect(tracker.cpuTimeNs()).toBe(4200);
  });

  it('says so where nothing is started in it, and lets no other failure of a start pass for that', async () => {
    const { windows, plan } = createWorld();
    for (const leavesNothing of [false, true]) {
      const tracker = await plan({ leavesNothing })[0]?.create();
      const spawn = (error: Error) => () =>
        tracker?.spawnInside(() => {
          throw error;
        });
      const refused = new EnclosureError('CreateProcessW: error 5');
      expect(spawn(refused)).toThrow(new TrackerError('job-refused', `${NAME}: CreateProcessW: error 5`));
      const missing = new LaunchError(127, 'not there');
      expect(spawn(missing)).toThrow(missing);
      tracker?.dispose();
      expect(windows.openHandles).toBe(0);
    }
  });

  it('keeps its name by the handle in the agent when we are killed', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    const record = recordOf(tracker);
    world.windows.closeOurs();
    const other = reopen(world, record);
    expect(other.memberPids()).toEqual([ROOT]);
    expect(await other.killTree({ deadlineMs: 1000 })).toEqual([]);
    expect(world.windows.processes.has(ROOT)).toBe(false);
    expect(world.windows.openHandles).toBe(0);
  });

  it('keeps its name by a handle in each of what is left over when the run is over', async () => {
    const world = createWorld();
    const { windows } = world;
    const tracker = await startAgent(world);
    const job = windows.jobs.get(NAME) as never;
    for (const pid of [201, 202]) windows.start(pid, job);
    windows.end(ROOT);
    tracker.dispose();
    expect(windows.openHandles).toBe(0);
    windows.end(201);
    expect(reopen(world, recordOf(tracker)).memberPids()).toEqual([202]);
    windows.end(202);
    const gone = openJobOf(recordOf(tracker), { win32: windows.win32, platform: world.platform }, 0);
    expect(gone).toEqual({ status: 'lost', reason: { code: 'job-gone', detail: NAME } });
  });

  it('ends what is in it with us where nothing may be left, and lets it live if the run ends in order', async () => {
    const world = createWorld();
    const { windows } = world;
    await startAgent(world, { leavesNothing: true });
    windows.closeOurs();
    expect(windows.processes.has(ROOT)).toBe(false);

    const other = await startAgent(world, { leavesNothing: true, blockId: 'two' });
    other.dispose();
    expect(windows.processes.has(ROOT)).toBe(true);
    expect(windows.jobs.get(`Global\\agentmux-two-${TAG}`)?.flags).toBe(0);
  });

  it('sets a limit beside the limits that others set, and takes back its own alone', async () => {
    const world = createWorld();
    const tracker = await startAgent(world, { leavesNothing: true });
    const other = reopen(world, recordOf(tracker));
    expect(other.setBelowNormalPriority(true).isLimit).toBe(true);
    const job = world.windows.jobs.get(NAME);
    expect(job?.flags).toBe(JobLimit.killOnClose | JobLimit.priorityClass);
    expect(job?.priorityClass).toBe(PriorityClass.belowNormal);
    expect(other.record.job?.flags).toBe(job?.flags);
    expect(reopen(world, recordOf(other)).setBelowNormalPriority(false).isLimit).toBe(true);
    expect(job?.flags).toBe(JobLimit.killOnClose);
  });

  it('lets the members live on where something of them is kept, and gives each a handle', async () => {
    const world = createWorld();
    const { windows, platform } = world;
    const tracker = await startAgent(world, { leavesNothing: true });
    const job = outliveWrapper(recordOf(tracker), platform, windows.win32);
    expect(job).toEqual({ name: NAME, flags: 0 });
    expect(withSharedLimits(tracker.record, { ...tracker.record, job }).job?.flags).toBe(0);
    windows.closeOurs();
    expect(reopen(world, recordOf(tracker)).memberPids()).toEqual([ROOT]);
    expect(outliveWrapper({ ...recordOf(tracker), tracker: { ...tracker.record, job } }, platform)).toBeUndefined();
  });

  it('does so by the record where limits cannot be read back', async () => {
    const world = createWorld();
    const tracker = await startAgent(world, { leavesNothing: true });
    const job = world.windows.jobs.get(NAME);
    const { win32 } = world.windows;
    const call: typeof win32.call = (library, name, result, ...args) => {
      const before = job?.flags ?? 0;
      const isLimits = name === 'QueryInformationJobObject' && args[1]?.value === 9;
      if (isLimits && job) job.flags = 0;
      const answer = win32.call(library, name, result, ...args);
      if (isLimits && job) job.flags = before;
      return answer;
    };
    const blind = { ...world.windows, win32: { ...win32, call } } as never;
    reopen({ ...world, windows: blind }, recordOf(tracker)).setBelowNormalPriority(true);
    expect(job?.flags).toBe(JobLimit.killOnClose | JobLimit.priorityClass);
  });

  it('starts the agent below normal where that was asked for', async () => {
    const world = createWorld();
    const tracker = await startAgent(world, { priority: 'below-normal' });
    expect(world.windows.jobs.get(NAME)).toMatchObject({ flags: 0x20, priorityClass: 0x4000 });
    expect(tracker.record.job?.flags).toBe(0x20);
  });

  it('spares whom it is told to spare, one by one', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    for (const pid of [201, 202]) world.windows.start(pid, world.windows.jobs.get(NAME) as never);
    expect(await tracker.killTree({ deadlineMs: 1000, spare: new Set([202]) })).toEqual([]);
    expect(tracker.memberPids()).toEqual([202]);
    expect(world.windows.calls).not.toContain('TerminateJobObject');
  });

  it('kills a member, and nothing that is none or another process of that pid', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    world.windows.start(300);
    const identity = (pid: number, startTicks = pid) => ({ pid, startTicks, bootId: '', pidNamespace: '' });
    expect(tracker.killPid(identity(300))).toBe('not-member');
    expect(tracker.killPid(identity(ROOT, 7))).toBe('not-member');
    expect(tracker.killPid(identity(ROOT))).toBe('sent');
    expect(tracker.terminate()).toBe(false);
    expect(tracker.setFrozen(true)).toBe(false);
  });

  it('puts a process into it that was made a root later, and gives it a handle', async () => {
    const world = createWorld();
    const [plan] = world.plan();
    const tracker = await plan?.create();
    const late = world.windows.start(400);
    tracker?.assign({ pid: 400, startTicks: 400, bootId: '', pidNamespace: '' });
    expect(tracker?.memberPids()).toEqual([400]);
    expect(late.handles.map(({ name }) => name)).toEqual([NAME]);
  });
});

describe('looking at a block in a job', () => {
  const look = ({ windows, platform }: World, record: BlockRecord) =>
    inspectBlock(record, { platform, win32: windows.win32, records: [], recorded: () => [] });

  it('shows its members with high confidence, and what left it apart', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    world.windows.start(900);
    world.tags.set(900, TAG);
    Object.assign(world.windows.jobs.get(NAME) ?? {}, { userTime: 30_000n });
    const view = look(world, recordOf(tracker));
    expect(view.record.tracker.type).toBe('job');
    expect(view.members.map(({ pid, confidence, escaped }) => [pid, confidence, escaped])).toEqual([
      [ROOT, 'high', false],
      [900, 'best_effort', true],
    ]);
    world.windows.end(900);
    expect(look(world, recordOf(tracker))).toMatchObject({ cpuMs: 3, cpuIncludesExited: true });
  });

  it('scans where the name is gone, says so, and ends what it finds', async () => {
    const world = createWorld();
    const { windows, platform } = world;
    const tracker = await startAgent(world);
    const record = recordOf(tracker);
    windows.start(201, windows.jobs.get(NAME) as never);
    world.tags.set(201, TAG);
    windows.end(ROOT);
    windows.closeOurs();
    expect([...windows.jobs.keys()]).toEqual([]);
    const view = look(world, record);
    expect(view.members.map(({ pid, confidence, escaped }) => [pid, confidence, escaped])).toEqual([
      [201, 'best_effort', false],
    ]);
    const reasons = [{ code: 'job-gone', detail: NAME }];
    expect(view.record.tracker).toMatchObject({ type: 'scan', confidence: 'best_effort', reasons });
    const other = openTracker(record, { platform, win32: windows.win32 });
    expect(await other.killTree({ deadlineMs: 2000 })).toEqual([]);
    expect(windows.processes.has(201)).toBe(false);
    expect(look(world, record).record.tracker.type).toBe('job');
  });
});

describe('opening the job of a block', () => {
  it('takes a job of another owner only with a recorded root in it', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    const deps = { win32: world.windows.win32, platform: world.platform };
    const job = world.windows.jobs.get(NAME);
    if (job) job.owner = 'S-1-5-32-544';
    expect(openJobOf(recordOf(tracker), deps, 0).status).toBe('opened');
    expect(openJobOf(recordOf(tracker, 999), deps, 0)).toMatchObject({ reason: { code: 'job-foreign' } });
  });

  it.each([
    ["the machine's first administrator", 'S-1-5-21-1-2-3-500'],
    ['the system', 'S-1-5-18'],
    ['the network service', 'S-1-5-20'],
    ['the local service', 'S-1-5-19'],
  ])('takes its own job also as %s', async (_, user) => {
    const world = createWorld();
    world.windows.user = user;
    const tracker = await startAgent(world);
    const deps = { win32: world.windows.win32, platform: world.platform };
    expect(openJobOf(recordOf(tracker, 999), deps, 0).status).toBe('opened');
    Object.assign(world.windows.jobs.get(NAME) ?? {}, { owner: 'S-1-5-21-1-2-3-501' });
    expect(openJobOf(recordOf(tracker, 999), deps, 0)).toMatchObject({ reason: { code: 'job-foreign' } });
  });

  it('takes no name without the nonce of the block', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    const deps = { win32: world.windows.win32, platform: world.platform };
    const record = { ...recordOf(tracker), tag: 'cd'.repeat(16) };
    expect(openJobOf(record, deps, 0)).toMatchObject({ reason: { code: 'job-gone' } });
  });

  it('says so if it may not be opened', async () => {
    const world = createWorld();
    const tracker = await startAgent(world);
    world.windows.failing.set('OpenJobObjectW', 5);
    const deps = { win32: world.windows.win32, platform: world.platform };
    expect(openJobOf(recordOf(tracker), deps, 0)).toMatchObject({ reason: { code: 'job-denied' } });
  });
});
