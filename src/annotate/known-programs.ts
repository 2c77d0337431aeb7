import { calledName, executableName, type NamedProcess } from '../filter/shells.ts';

import { INTEROP_NOTE, isInterop } from './interop.ts';

/**
 * What people should know of a process because of the program that it is: that it is meant to stay, or that what it does
 * happens elsewhere and is not a member of the block. Undefined for nearly all.
 */
export function noteOnProgram(process: NamedProcess): string | undefined {
  const { argv } = process;
  if (argv === undefined || argv.length === 0) return undefined;
  if (isInterop(process)) return INTEROP_NOTE;
  const names = new Set([executableName(process), calledName(argv[0])]);
  const words = argv.slice(0, MAX_WORDS).map((word) => word.slice(0, MAX_WORD_LENGTH));
  const known = PROGRAMS.find(
    (program) =>
      (program.names === undefined || program.names.some((name) => names.has(name))) &&
      (program.words === undefined || words.some((word) => program.words?.test(word))) &&
      (program.called === undefined || program.called.test(argv[0] ?? '')) &&
      (program.comm === undefined || program.comm.test(process.comm ?? '')),
  );
  return known?.note;
}

/** A Java class path alone can be a megabyte. */
const MAX_WORDS = 400;
const MAX_WORD_LENGTH = 400;

/** All that is given must hold. */
interface KnownProgram {
  /** Of the executable, or what it was called as. */
  readonly names?: readonly string[];
  /** Any word of argv. */
  readonly words?: RegExp;
  /** argv[0] as it stands. */
  readonly called?: RegExp;
  /** The kernel's short name, where the program sets it. */
  readonly comm?: RegExp;
  readonly note: string;
}

const DAEMON = 'persistent build daemon';

/** The first that matches tells. */
const PROGRAMS: readonly KnownProgram[] = [
  // What stays on purpose, so that the next build is quicker.
  { words: /GradleDaemon$|^gradle-daemon$/, note: `${DAEMON} (gradle --stop)` },
  { words: /^org\.jetbrains\.kotlin\.daemon\./, note: `${DAEMON} (Kotlin)` },
  { called: /^bazel\(/, note: `${DAEMON} (bazel shutdown)` },
  { words: /\/A-server\.jar$/, note: `${DAEMON} (bazel shutdown)` },
  { names: ['buck2d', 'buckd'], note: `${DAEMON} (buck2 kill)` },
  { called: /^buck2d\[/, note: `${DAEMON} (buck2 kill)` },
  { names: ['watchman'], note: 'persistent file watcher (watchman shutdown-server)' },
  { words: /\/nx\/src\/daemon\/server\/start\.js$/, note: `${DAEMON} (nx daemon --stop)` },
  { names: ['turbo'], words: /^daemon$/, note: `${DAEMON} (turbo daemon stop)` },
  { words: /(^|\/)VBCSCompiler(\.dll|\.exe)?$|^\/nodeReuse:true$/i, note: `${DAEMON} (dotnet build-server shutdown)` },
  { words: /^(xsbt\.boot\.Boot|.*\/bloop-frontend.*|bloop\.BloopServer)$/, note: `${DAEMON} (sbt or bloop)` },
  { words: /MavenDaemon|^org\.mvndaemon\./, note: `${DAEMON} (mvnd --stop)` },
  { names: ['sccache'], comm: /^sccache/, note: `${DAEMON} where it stays (sccache --stop-server)` },
  { names: ['adb'], words: /^fork-server$/, note: 'persistent device server (adb kill-server)' },
  { names: ['flow'], words: /^(start|server)$/, note: `${DAEMON} (flow stop)` },
  { names: ['gpg-agent', 'ssh-agent'], note: 'persistent key agent: others may be using it' },

  // Servers that hold the windows of whoever asks them.
  { names: ['tmux'], comm: /^tmux: server/, note: 'tmux server: it also holds windows that others open' },
  { called: /(^|\/)SCREEN$/, note: 'screen server: it also holds windows that others open' },
  { names: ['zellij'], words: /^--server$/, note: 'zellij server: it also holds panes that others open' },

  // Clients whose work is done by somebody else, who is no member.
  { names: ['tmux'], note: "hands work to a tmux server, whose windows are not this block's" },
  { names: ['screen'], note: "hands work to a screen server, whose windows are not this block's" },
  { names: ['docker', 'docker-compose'], note: 'hands work to dockerd: containers are not stopped' },
  { names: ['nerdctl', 'ctr', 'crictl'], note: 'hands work to containerd: containers are not stopped' },
  { names: ['podman'], words: /^(run|start|play|kube)$/, note: 'containers of podman are not stopped with it' },
  { names: ['systemd-run', 'systemctl'], note: 'hands work to systemd: the unit is not stopped' },
  { names: ['at', 'batch'], note: 'hands work to atd: the job stays queued' },
  { names: ['crontab'], note: 'hands work to cron: the entry stays' },
  {
    names: ['kubectl'],
    words: /^(run|exec|apply|create|port-forward)$/,
    note: 'works in a cluster: what runs there stays',
  },
  { names: ['ssh', 'mosh-client'], note: 'works on another host: what runs there stays' },
];
