import { isatty } from 'node:tty';
import { findStreamHolders } from '../linux/stream-holders.ts';
import type { Agent, HandledSignal, ProgramStarter } from '../starter.ts';
import { buildAgentCommand } from './agent-command.ts';
import { resolveExecutable } from './executable.ts';
import { findHelper, findVariable, isExecutable, readHandover } from './handover.ts';
import { followStops } from './job-control.ts';
import { leave } from './leave.ts';
import { keepOrphans } from './orphans.ts';
import { startAgent } from './start-agent.ts';

/** Linux and its relatives: raw bytes by procfs where there is one, and what every Unix offers elsewhere. */
export const posixStarter: ProgramStarter = {
  // TSTP, CONT and WINCH are left to job control: they are not on the list, so that their default action stays.
  signals: ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] satisfies HandledSignal[],
  canSignal: true,
  /** Hook and prefix are scripts for it: without it the agent could run no tool. */
  get labelsObstacle() {
    return isExecutable('/bin/sh') ? undefined : '/bin/sh, by which its tool calls would be noted, is missing';
  },
  readHandover: ({ operands, passFds, env }) => readHandover(operands, passFds, env),
  findProgram(handover) {
    const file = resolveExecutable(handover.argv[0] ?? Buffer.alloc(0), findVariable(handover, 'PATH'));
    return { file, before: [], kind: 'program', env: {}, notes: [] };
  },
  start({ handover, program, argv, added, nohup, spawnInside, platform, own }) {
    const command = buildAgentCommand({
      ...handover,
      argv,
      executable: program.file,
      added,
      nohup,
      sh: findHelper('sh'),
      env: findHelper('env'),
      prlimit: handover.openFiles === undefined ? undefined : findHelper('prlimit'),
    });
    return startAgent(command, handover.fds, { spawnInside }, platform, own);
  },
  keepOrphans,
  followStops,
  /** The terminal's Ctrl-C went to its foreground group: ours, and the agent's if it stayed in it. */
  sharesInterrupt(platform, ownPid, agent: Agent) {
    const own = platform.readStat(ownPid);
    // Where nothing can be read a terminal is taken for ours: an agent that gets a second Ctrl-C may leave at once.
    if (own === undefined) return isatty(0);
    if (own.ttyNr === 0 || own.pgid !== own.tpgid) return false;
    return agent.pgid === own.pgid;
  },
  // As the first process of a pid namespace we cannot: the kernel drops signals without a handler there
  // (pid_namespaces(7)).
  canRaise: (ownPid) => ownPid !== 1,
  leave,
  findStreamHolders,
};
