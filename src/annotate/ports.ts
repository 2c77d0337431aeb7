import type { Role } from '../model/block.ts';
import type { Listener } from '../model/process.ts';

/** A listening socket as it was read. */
export interface PortSocket extends Listener {
  readonly uid: number | undefined;
  readonly otherNamespace: boolean;
  /** Those that hold it and can be seen. */
  readonly pids: readonly number[];
}

/** An address that somebody listens on, with the process that a person would name as its server. */
export interface PortHolder extends Listener {
  /** Undefined if nobody that can be seen holds it. */
  readonly pid: number | undefined;
  /** Others that hold it too: children that inherited it and workers below the server, ascending. */
  readonly sharedWith: readonly number[];
  readonly uid: number | undefined;
  /** True if it is in another network namespace, so that the port is free here. */
  readonly otherNamespace: boolean;
}

/** A row of `ports`. All texts are untrusted; what is unknown is undefined. */
export interface PortRow extends PortHolder {
  readonly startTicks: number | undefined;
  readonly startedAtMs: number | undefined;
  readonly ageMs: number | undefined;
  readonly blockId: string | undefined;
  /** Profile of the block's agent. */
  readonly agent: string | undefined;
  readonly role: Role | undefined;
  /** Id of the entry that it belongs to, in its block. */
  readonly entry: string | undefined;
  readonly cwd: string | undefined;
  readonly worktree: WorktreeRow | undefined;
  readonly command: string | undefined;
  readonly redacted: boolean;
}

export interface WorktreeRow {
  readonly path: string;
  readonly branch: string | undefined;
  readonly isLinked: boolean;
}

/**
 * Who holds each address: of the holders those that have no other holder above them, one row each, by port. `parentOf`
 * gives a live parent.
 */
export function findPortHolders(
  sockets: readonly PortSocket[],
  parentOf: (pid: number) => number | undefined,
): PortHolder[] {
  const groups = new Map<string, PortSocket[]>();
  for (const socket of sockets) {
    const { protocol, address, port, otherNamespace } = socket;
    // Sockets of other namespaces are none of one another's workers.
    const apart = otherNamespace || socket.pids.length === 0 ? socket.pids.join() || groups.size : '';
    const key = `${protocol} ${address} ${port} ${otherNamespace} ${apart}`;
    groups.set(key, [...(groups.get(key) ?? []), socket]);
  }
  return [...groups.values()].flatMap((group) => splitGroup(group, parentOf)).sort(comparePorts);
}

function splitGroup(group: readonly PortSocket[], parentOf: (pid: number) => number | undefined): PortHolder[] {
  const [first] = group;
  if (first === undefined) return [];
  const { protocol, address, port, uid, otherNamespace } = first;
  const socket = { protocol, address, port, uid, otherNamespace };
  const holders = new Set(group.flatMap(({ pids }) => pids));
  if (holders.size === 0) return [{ ...socket, pid: undefined, sharedWith: [] }];
  const below = new Map<number, number[]>();
  for (const pid of holders) {
    const top = findTop(pid, holders, parentOf);
    below.set(top, [...(below.get(top) ?? []), ...(pid === top ? [] : [pid])]);
  }
  return [...below].map(([pid, others]) => ({ ...socket, pid, sharedWith: others.sort((a, b) => a - b) }));
}

/** The holder that is farthest above; bounded, since a table that was read over time can hold circles. */
function findTop(pid: number, holders: ReadonlySet<number>, parentOf: (pid: number) => number | undefined): number {
  let top = pid;
  let at: number | undefined = parentOf(pid);
  for (let steps = 0; at !== undefined && at !== pid && steps < MAX_DEPTH; steps += 1) {
    if (holders.has(at)) top = at;
    at = parentOf(at);
  }
  return top;
}

const MAX_DEPTH = 10_000;

function comparePorts(a: PortHolder, b: PortHolder): number {
  const byAddress = `${a.protocol} ${a.address}` < `${b.protocol} ${b.address}` ? -1 : 1;
  const isSame = a.protocol === b.protocol && a.address === b.address;
  return a.port - b.port || (isSame ? 0 : byAddress) || (a.pid ?? 0) - (b.pid ?? 0);
}
