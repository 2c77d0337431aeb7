import { scriptName } from '../agents/launchers.ts';
import { recogniseAgent, recogniseDaemon } from '../agents/recognise.ts';
import { findScript } from '../agents/script.ts';
import { type NamedProcess, processName } from '../filter/shells.ts';

/**
 * A short name of a process for people: an agent's id, the script or module that an interpreter runs, else the name of
 * the executable. `?` if nothing is known. Untrusted text.
 */
export function displayName(process: NamedProcess): string {
  const agent = recogniseAgent(process);
  if (agent !== undefined) {
    return recogniseDaemon(process)?.title ?? agent.id;
  }
  const script = findScript(process);
  return (script && scriptName(script.path)) || processName(process) || '?';
}
