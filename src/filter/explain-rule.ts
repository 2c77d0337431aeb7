import { parentOf, type RuleMember, type RuleRoot } from './agent-started.ts';
import { isShell } from './shells.ts';

/** What the rule looked at. */
export interface RuleFacts {
  readonly byPid: ReadonlyMap<number, RuleMember>;
  readonly isRoot: (member: RuleRoot) => boolean;
  readonly cyclic: ReadonlySet<number>;
}

/** Why the agent-started rule kept or dropped a member that is no root, in a few words for people. */
export function explainRule(member: RuleMember, isKept: boolean, facts: RuleFacts): string {
  if (!isKept) {
    return facts.cyclic.has(member.pid) ? 'its parents form a circle' : 'no shell between it and the agent';
  }
  let current = member;
  for (let steps = 0; steps <= facts.byPid.size; steps += 1) {
    if (isShell(current.name)) {
      return explainShell(current, member, facts);
    }
    const parent = parentOf(current, facts.byPid);
    if (parent === undefined) {
      return current === member ? 'its parent has gone' : 'below a process whose parent has gone';
    }
    current = parent;
  }
  return 'shell above it';
}

function explainShell(shell: RuleMember, member: RuleMember, facts: RuleFacts): string {
  if (shell === member) {
    return 'a shell';
  }
  return facts.isRoot(shell) ? 'started by the shell' : 'shell above it';
}
