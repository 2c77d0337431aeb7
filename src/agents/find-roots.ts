import { indexByPid, parentOf, rootTest } from '../filter/agent-started.ts';
import { executableName } from '../filter/shells.ts';
import { isLauncher } from './launchers.ts';
import type { AgentProcess, AgentProfile, RecordedRoot } from './profile.ts';
import { findProfile } from './profiles.ts';
import { recogniseAgent, recogniseDaemon } from './recognise.ts';
import { findScript } from './script.ts';

/** A root of a block. */
export interface AgentRoot {
  readonly pid: number;
  readonly startTicks: number | undefined;
  /** Undefined for an unknown agent, and for a launcher that runs one. */
  readonly profile: AgentProfile | undefined;
  /** True if a run recorded it; false if it was found below a launcher. */
  readonly recorded: boolean;
}

export interface AgentRoots {
  /** Every root ever recorded, alive or not, and those found below launchers that live. */
  readonly roots: readonly AgentRoot[];
  /** Pids of launchers between a recorded root and the agent, roots left out. */
  readonly launchers: ReadonlySet<number>;
}

/**
 * The roots of a block: those that runs recorded and, where one of them is a launcher, a shell or the agent's own
 * launcher, the first process below it that is an agent and is reached only through launchers. So an agent that a tool
 * of another agent started is none.
 */
export function findAgentRoots(members: readonly AgentProcess[], recorded: readonly RecordedRoot[]): AgentRoots {
  const byPid = indexByPid(members.map((member) => ({ ...member, name: executableName(member) })));
  const isRecorded = rootTest(recorded);
  const children = childrenByPid(byPid);
  const found: Found = { roots: [], launchers: new Set(), seen: new Set() };
  for (const member of byPid.values()) {
    if (isRecorded(member)) {
      lookBelow(member, children, isRecorded, found);
    }
  }
  const named = recorded.map((root) => {
    const member = byPid.get(root.pid);
    const isLive = member !== undefined && rootTest([root])(member);
    const profile = isLive ? recogniseAgent(member) : findProfile(root.agent);
    return { pid: root.pid, startTicks: root.startTicks, profile, recorded: true };
  });
  return { roots: [...named, ...found.roots], launchers: found.launchers };
}

interface Found {
  readonly roots: AgentRoot[];
  readonly launchers: Set<number>;
  readonly seen: Set<number>;
}

function childrenByPid<T extends AgentProcess & { readonly name: string }>(byPid: ReadonlyMap<number, T>) {
  const children = new Map<number, T[]>();
  for (const member of byPid.values()) {
    const parent = parentOf(member, byPid);
    if (parent !== undefined && parent !== member) {
      children.set(parent.pid, [...(children.get(parent.pid) ?? []), member]);
    }
  }
  return children;
}

function lookBelow(
  root: AgentProcess,
  children: ReadonlyMap<number, readonly AgentProcess[]>,
  isRecorded: (member: RecordedRoot) => boolean,
  found: Found,
): void {
  const profile = recogniseAgent(root);
  if (profile !== undefined) {
    addRelaunched(root, profile, children, isRecorded, found);
    return;
  }
  if (!isLauncher(root)) {
    return;
  }
  const stack = (children.get(root.pid) ?? []).map((process) => ({ process, through: [] as number[] }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { process, through } = next;
    if (isRecorded(process) || found.seen.has(process.pid)) {
      continue;
    }
    found.seen.add(process.pid);
    const below = recogniseAgent(process);
    if (below !== undefined && recogniseDaemon(process) === undefined) {
      addRoot(process, below, found);
      for (const pid of through) found.launchers.add(pid);
      addRelaunched(process, below, children, isRecorded, found);
    } else if (below === undefined && isLauncher(process)) {
      const further = [...through, process.pid];
      stack.push(...(children.get(process.pid) ?? []).map((child) => ({ process: child, through: further })));
    }
  }
}

/**
 * The real CLI below the agent's own launcher: the same agent, one step down, in the launcher's own session. The session
 * tells it from a nested agent whose shell was replaced by exec.
 */
function addRelaunched(
  launcher: AgentProcess,
  profile: AgentProfile,
  children: ReadonlyMap<number, readonly AgentProcess[]>,
  isRecorded: (member: RecordedRoot) => boolean,
  found: Found,
): void {
  // What the profile calls a launcher is a script; a native binary is the CLI itself, and its children are its own.
  if (!profile.relaunches || findScript(launcher) === undefined) {
    return;
  }
  for (const child of children.get(launcher.pid) ?? []) {
    const isSame = recogniseAgent(child) === profile && recogniseDaemon(child) === undefined;
    if (isSame && child.sid === launcher.sid && !isRecorded(child) && !found.seen.has(child.pid)) {
      found.seen.add(child.pid);
      addRoot(child, profile, found);
    }
  }
}

function addRoot(process: AgentProcess, profile: AgentProfile, found: Found): void {
  found.roots.push({ pid: process.pid, startTicks: process.startTicks, profile, recorded: false });
}
