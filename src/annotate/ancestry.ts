/** A live process as ancestry looks at it. */
export interface AncestryProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  readonly sid: number;
  readonly startTicks: number;
}

/** A process that is on record, alive or not. */
export interface RecordedProcess {
  readonly pid: number;
  readonly startTicks: number;
}

/** The block that the process is a member of. */
export interface AncestryBlock {
  readonly members: ReadonlySet<number>;
  /** Runs, oldest first. */
  readonly runs: readonly {
    readonly root: RecordedProcess | undefined;
    readonly wrapper: RecordedProcess;
    /** Sessions of those that started it, nearest first. */
    readonly callerSids: readonly number[];
  }[];
  /** The shell of the tool call that it belongs to. */
  readonly callPid: number | undefined;
}

/**
 * How an ancestor is known: a `parent` by the kernel's link; a leader of the process `group` or the `session`; the shell of
 * the `call`; the agent (`root`) and its agentmux-run (`wrapper`) by the block's record; `unknown` where a parent exited and
 * left no trace of its pid; `adopter`: no ancestor, but the process to which the one before was handed when that was alone.
 */
export type AncestorLink =
  | 'self'
  | 'parent'
  | 'group'
  | 'session'
  | 'call'
  | 'root'
  | 'wrapper'
  | 'unknown'
  | 'adopter';

/** One step of an ancestry, the process itself first. */
export interface Ancestor {
  /** Undefined for an exited parent whose pid is not known. */
  readonly pid: number | undefined;
  readonly startTicks: number | undefined;
  readonly status: 'alive' | 'exited';
  readonly link: AncestorLink;
}

/**
 * Who started a process, up to the top: by live parents; where a parent has exited, by what is left of it, and in a block
 * by its record. A number that belongs to a younger process now is none of an ancestor's. Undefined if the process is not
 * in the table.
 */
export function traceAncestry(
  pid: number,
  table: ReadonlyMap<number, AncestryProcess>,
  block?: AncestryBlock,
): Ancestor[] | undefined {
  const self = table.get(pid);
  if (self === undefined) return undefined;
  const chain: Ancestor[] = [alive(self, 'self')];
  const top = block === undefined ? self : climbToRoot(self, chain, table, block);
  if (top !== undefined) climb(top, chain, table);
  return chain;
}

function alive({ pid, startTicks }: RecordedProcess, link: AncestorLink): Ancestor {
  return { pid, startTicks, status: 'alive', link };
}

function exited(pid: number | undefined, link: AncestorLink, startTicks?: number): Ancestor {
  return { pid, startTicks, status: 'exited', link };
}

function parentOf(process: AncestryProcess, table: ReadonlyMap<number, AncestryProcess>): AncestryProcess | undefined {
  const parent = table.get(process.ppid);
  return parent === undefined || parent.startTicks > process.startTicks ? undefined : parent;
}

/** The live process of a number that `process` carries, if it is no younger than that. */
function leaderOf(
  number: number,
  process: AncestryProcess,
  table: ReadonlyMap<number, AncestryProcess>,
): AncestryProcess | undefined {
  const leader = table.get(number);
  return leader === undefined || leader.startTicks > process.startTicks ? undefined : leader;
}

function isIn(chain: readonly Ancestor[], pid: number): boolean {
  return chain.some((ancestor) => ancestor.pid === pid);
}

/** Live parents to the top of the table. */
function climb(from: AncestryProcess, chain: Ancestor[], table: ReadonlyMap<number, AncestryProcess>): void {
  let at = from;
  for (
    let parent = parentOf(at, table);
    parent !== undefined && !isIn(chain, parent.pid);
    parent = parentOf(at, table)
  ) {
    if (wasHandedOver(at, parent, table)) {
      chain.push(...traces(at, table, undefined), alive(parent, 'adopter'));
      return;
    }
    chain.push(alive(parent, 'parent'));
    at = parent;
  }
}

/**
 * A session is inherited, and left only by becoming the leader of a new one: a process in another session than its parent's
 * that leads none was not started by that parent (setsid(2)). Told only where it cannot be the parent that changed its own.
 */
function wasHandedOver(
  process: AncestryProcess,
  parent: AncestryProcess,
  table: ReadonlyMap<number, AncestryProcess>,
): boolean {
  if (process.sid === process.pid || process.sid === parent.sid || process.sid === 0) return false;
  return parent.pid === 1 || leaderOf(process.sid, process, table) === undefined;
}

/** What is left of parents that have exited: numbers of those that led its group, its session or its call. */
function traces(
  process: AncestryProcess,
  table: ReadonlyMap<number, AncestryProcess>,
  callPid: number | undefined,
): Ancestor[] {
  const numbers: (readonly [number | undefined, AncestorLink])[] = [
    [process.pgid, 'group'],
    [callPid, 'call'],
    [process.sid, 'session'],
  ];
  const found: Ancestor[] = [];
  for (const [number, link] of numbers) {
    if (number === undefined || number <= 1 || number === process.pid || isIn(found, number)) continue;
    if (leaderOf(number, process, table) === undefined) found.push(exited(number, link));
  }
  return found.length === 0 ? [exited(undefined, 'unknown')] : found;
}

/** Up through the members to the agent and its agentmux-run; gives the live process from which to climb on. */
function climbToRoot(
  self: AncestryProcess,
  chain: Ancestor[],
  table: ReadonlyMap<number, AncestryProcess>,
  block: AncestryBlock,
): AncestryProcess | undefined {
  const isRoot = ({ pid, startTicks }: AncestryProcess): boolean =>
    block.runs.some(({ root }) => root?.pid === pid && root.startTicks === startTicks);
  let at = self;
  while (!isRoot(at)) {
    const parent = parentOf(at, table);
    if (parent !== undefined && block.members.has(parent.pid) && !isIn(chain, parent.pid)) {
      chain.push(alive(parent, 'parent'));
      at = parent;
      continue;
    }
    chain.push(...traces(at, table, block.callPid).filter(({ pid }) => pid === undefined || !isIn(chain, pid)));
    const leader = [at.pgid, block.callPid, at.sid]
      .map((number) => (number === undefined ? undefined : leaderOf(number, at, table)))
      .find((one) => one !== undefined && block.members.has(one.pid) && !isIn(chain, one.pid));
    if (leader === undefined) break;
    chain.push(alive(leader, leader.pid === at.pgid ? 'group' : leader.pid === at.sid ? 'session' : 'call'));
    at = leader;
  }
  return pushRun(self, isRoot(at), chain, table, block);
}

/** The run that started the process is the last one that is no younger than it. */
function pushRun(
  self: AncestryProcess,
  isAtRoot: boolean,
  chain: Ancestor[],
  table: ReadonlyMap<number, AncestryProcess>,
  { runs }: AncestryBlock,
): AncestryProcess | undefined {
  const last = chain.at(-1);
  const run = isAtRoot
    ? runs.find(({ root }) => root?.pid === last?.pid && root?.startTicks === last?.startTicks)
    : (runs.findLast(({ root }) => root !== undefined && root.startTicks <= self.startTicks) ?? runs.at(-1));
  if (run === undefined) return undefined;
  const push = (recorded: RecordedProcess, link: AncestorLink): AncestryProcess | undefined => {
    const now = table.get(recorded.pid);
    const isAlive = now?.startTicks === recorded.startTicks;
    if (isAlive && isIn(chain, recorded.pid)) return undefined;
    chain.push(isAlive ? alive(recorded, link) : exited(recorded.pid, link, recorded.startTicks));
    return isAlive ? now : undefined;
  };
  if (!isAtRoot && run.root !== undefined) push(run.root, 'root');
  const wrapper = push(run.wrapper, 'wrapper');
  if (wrapper !== undefined) return wrapper;
  const caller = run.callerSids
    .map((sid) => table.get(sid))
    .find(
      (one) => one !== undefined && one.pid > 1 && one.startTicks <= run.wrapper.startTicks && !isIn(chain, one.pid),
    );
  if (caller !== undefined) chain.push(alive(caller, 'session'));
  return caller;
}
