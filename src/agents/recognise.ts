import { baseName, calledName, executableName, type NamedProcess } from '../filter/shells.ts';
import { isPackageManagerTitle } from './launchers.ts';
import type { AgentDaemon, AgentProfile } from './profile.ts';
import { findProfileByName, profiles } from './profiles.ts';
import { findScript } from './script.ts';

/**
 * The profile of an agent CLI, by its executable or by the script that its interpreter runs; never by comm, which says
 * `MainThread` of every Node program. Undefined for any other process, launchers and shells included.
 */
export function recogniseAgent(process: NamedProcess): AgentProfile | undefined {
  const { argv, exe } = process;
  if (argv === undefined) return findAgent(process);
  let answer = answers.get(argv);
  if (answer === undefined || answer.exe !== exe) {
    answer = { exe, profile: findAgent(process) };
    answers.set(argv, answer);
  }
  return answer.profile;
}

/** What was found of each argument vector: one look asks several times about the same process. */
const answers = new WeakMap<
  readonly string[],
  { readonly exe: string | undefined; readonly profile: AgentProfile | undefined }
>();

function findAgent(process: NamedProcess): AgentProfile | undefined {
  if (isPackageManagerTitle(process.argv)) {
    return undefined;
  }
  const profile = recogniseExecutable(process) ?? recogniseScript(process);
  return profile?.aliases.includes(calledName(process.argv?.[0])) ? undefined : profile;
}

/** What kind of daemon of its agent the process is; undefined if it is none. */
export function recogniseDaemon(process: NamedProcess): AgentDaemon | undefined {
  const args = operands(process);
  return recogniseAgent(process)?.daemons.find(({ words }) => words.every((word, index) => args[index] === word));
}

/** Pid of the agent that started the daemon, as the daemon's own command line has it; undefined if it does not say. */
export function findStarter(process: NamedProcess, daemon: AgentDaemon): number | undefined {
  const args = operands(process);
  const at = daemon.starterOption === undefined ? -1 : args.indexOf(daemon.starterOption);
  const pid = at === -1 ? undefined : /"pid"\s*:\s*(\d{1,10})\b/.exec(args[at + 1] ?? '')?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** The profile that an npm package belongs to, given as `name`, `name@version` or an alias of neither. */
export function profileForPackage(spec: string): AgentProfile | undefined {
  const name = spec.replace(/(?<=.)@.*$/, '');
  return profiles.find((profile) => profile.packages.includes(name));
}

function recogniseExecutable(process: NamedProcess): AgentProfile | undefined {
  const path = `/${(process.exe ?? '').replaceAll('\\', '/')}`;
  const directory = path.slice(0, path.lastIndexOf('/') + 1);
  return (
    findProfileByName(executableName(process)) ??
    profiles.find((profile) => profile.directories.some((path) => directory.endsWith(`/${path}/`)))
  );
}

function recogniseScript(process: NamedProcess): AgentProfile | undefined {
  const script = findScript(process);
  if (script === undefined) {
    return undefined;
  }
  const path = `/${script.path.replaceAll('\\', '/')}`;
  const inPackage = profiles.find((profile) =>
    profile.packages.some((name) => path.includes(`/node_modules/${name}/`)),
  );
  // A name with an extension is somebody's file; links in bin directories have none.
  return inPackage ?? findProfileByName(baseName(script.path)) ?? profileForPackage(script.path.replace(/^npm:/, ''));
}

function operands(process: NamedProcess): readonly string[] {
  return findScript(process)?.args ?? process.argv?.slice(1) ?? [];
}
