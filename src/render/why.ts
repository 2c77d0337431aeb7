import type { WhyAncestor, WhyAnswer } from '../annotate/why.ts';
import { describeEvidence } from './evidence.ts';
import { formatAge, formatConfidence, formatCount, formatTime, UNKNOWN } from './format.ts';
import type { Paint } from './paint.ts';
import { escapeUntrusted } from './untrusted.ts';

export interface WhyView {
  readonly nowMs: number;
  readonly paint: Paint;
  /** Cuts a line of the ancestry, escaped before, to so many cells less than there are. */
  readonly cut: (text: string, indent: number) => string;
}

/** The answer for people: what it is in one line, then one line a fact, left out where nothing is known. */
export function renderWhy(answer: WhyAnswer, { nowMs, paint, cut }: WhyView): string {
  const cutAncestor = (line: string): string => cut(escapeUntrusted(line), LABEL_WIDTH + 2);
  const facts: (readonly [string, string | undefined])[] = [
    ['command', answer.command],
    ['note', answer.note],
    ['block', describeBlock(answer)],
    ['session', answer.membership?.evidence.session],
    ['call', describeCall(answer, nowMs)],
    ['', answer.call?.description === undefined ? undefined : answer.call.command],
    ['started', `${formatAge(answer.ageMs)} ago, ${formatTime(answer.startedAtMs)}`],
    ['directory', describeDirectory(answer)],
    ['terminal', answer.tty],
    ['unit', answer.unit?.name],
    ['ports', describePorts(answer)],
    ['below it', describeBelow(answer)],
    ...describeAncestry(answer).map((line, index) => [index === 0 ? 'ancestry' : '', cutAncestor(line)] as const),
    ['role', describeRole(answer)],
    ['known by', describeSource(answer)],
    ['end it', describeEnd(answer)],
  ];
  const lines = facts.flatMap(([label, text]) =>
    text === undefined ? [] : [`  ${paint(label.padEnd(LABEL_WIDTH), 'dim')}${escapeUntrusted(text)}`],
  );
  return [paint(escapeUntrusted(describeHeadline(answer)), 'bold'), ...lines, ''].join('\n');
}

const LABEL_WIDTH = 11;

function describeHeadline({ kind, pid, block, membership, ancestry }: WhyAnswer): string {
  if (kind === 'wrapper') return `pid ${pid}: agentmux-run of block ${block?.id}`;
  if (membership !== undefined && block !== undefined) {
    const what = { root: 'the agent of', plumbing: "the agent's own, in", started: 'started by the agent of' };
    return `pid ${pid}: ${what[membership.role]} block ${block.id}`;
  }
  return `pid ${pid}: not tracked: ${describeStarter(ancestry)}`;
}

function describeStarter(ancestry: readonly WhyAncestor[]): string {
  const [, starter] = ancestry;
  if (starter === undefined) return 'nothing above it can be seen';
  if (starter.status === 'alive') return `started by ${nameAncestor(starter)}`;
  const adopter = ancestry.find(({ link }) => link === 'adopter');
  return `started by a process that has exited${adopter === undefined ? '' : `, now below ${nameAncestor(adopter)}`}`;
}

function nameAncestor({ pid, name }: WhyAncestor): string {
  return `${name ?? UNKNOWN} (pid ${pid})`;
}

function describeBlock({ block }: WhyAnswer): string | undefined {
  if (block === undefined) return undefined;
  const agent = block.agent === undefined ? '' : `agent ${block.agent}, `;
  return `${block.id}: ${agent}${block.status}`;
}

function describeCall({ call }: WhyAnswer, nowMs: number): string | undefined {
  if (call === undefined) return undefined;
  const facts = [
    call.description ?? call.command ?? 'a tool call',
    ...(call.toolId === undefined ? [] : [`(${call.toolId})`]),
    ...(call.background === true ? ['in the background'] : []),
    ...(call.atMs === undefined ? [] : [`${formatAge(nowMs - call.atMs)} ago`]),
  ];
  return facts.join(' ');
}

function describeDirectory({ cwd, worktree }: WhyAnswer): string | undefined {
  if (cwd === undefined || worktree === undefined) return cwd;
  const kind = worktree.isLinked ? 'linked git work tree' : 'git work tree';
  return `${cwd} (${kind} ${worktree.path}, ${worktree.branch === undefined ? 'detached' : `branch ${worktree.branch}`})`;
}

function describePorts({ listeners }: WhyAnswer): string | undefined {
  if (listeners === undefined) return 'its sockets cannot be seen';
  if (listeners.length === 0) return undefined;
  const name = (address: string, port: number): string => `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return [...new Set(listeners.map(({ address, port }) => name(address, port)))].join(', ');
}

function describeBelow({ below }: WhyAnswer): string | undefined {
  if (below.processes === 0) return undefined;
  const ports = below.ports.length === 0 ? '' : `, on ports ${below.ports.join(', ')}`;
  return `${formatCount(below.processes, 'process', 'processes')}${ports}`;
}

function describeAncestry({ ancestry }: WhyAnswer): string[] {
  return ancestry.slice(1).map((ancestor) => {
    const { pid, status, link, command, role } = ancestor;
    if (link === 'unknown') return 'its parent has exited';
    const kind = { wrapper: 'agentmux-run', root: 'the agent', plumbing: "the agent's own", started: '' };
    const what = role === undefined ? '' : kind[role];
    if (status === 'exited') return `${pid} has exited: ${what || EXITED[link] || 'its parent'}`;
    const note = [what, ALIVE[link] ?? ''].filter((text) => text !== '').join(', ');
    return `${pid} ${command ?? UNKNOWN}${note === '' ? '' : ` (${note})`}`;
  });
}

const EXITED: Partial<Record<WhyAncestor['link'], string>> = {
  group: 'the leader of its process group',
  session: 'the leader of its session',
  call: 'the shell of its tool call',
  root: 'the agent',
  wrapper: 'agentmux-run',
};

const ALIVE: Partial<Record<WhyAncestor['link'], string>> = {
  group: 'leads its process group',
  session: 'leads its session',
  call: 'the shell of its tool call',
  adopter: 'took it over',
};

function describeRole({ membership }: WhyAnswer): string | undefined {
  return membership === undefined ? undefined : `${membership.role}: ${describeEvidence(membership)}`;
}

function describeSource({ membership, block }: WhyAnswer): string | undefined {
  if (membership === undefined) return undefined;
  const by = membership.source === 'enclosure' ? `the ${block?.tracker} of its block` : SOURCES[membership.source];
  const left = membership.escaped ? `, outside its ${block?.tracker}` : '';
  return `${by}${left}; confidence ${formatConfidence(membership.confidence)}`;
}

const SOURCES = {
  root: 'it was launched as the agent',
  tag: 'the tag in its environment',
  descent: 'descent from a member',
  recorded: 'it was seen as a member before',
  group: 'the process group or session of a member',
} as const;

function describeEnd({ end }: WhyAnswer): string | undefined {
  const { command, note } = end;
  if (command === undefined) return note;
  return note === undefined ? command : `${command}   # ${note}`;
}
