import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { AgentmuxError, RunExitCode } from '../errors.ts';
import { type RawRunOptions, requirable, trackerChoices } from '../launch/options.ts';
import { leftoversPolicies } from '../model/block.ts';
import { priorities } from '../model/priority.ts';
import { createBareProgram } from './shared/bare-program.ts';
import { type Example, examplesHelp } from './shared/help.ts';
import { reportLaunchFailure, runCommand } from './shared/run-command.ts';

/** `agentmux run`: the same as `agentmux-run`. */
export function registerRun(program: Command, context: Context): void {
  const command = program.command('run').summary('run an AI agent so that what it starts can be seen and ended');
  describeRunCommand(command, context);
}

/** `agentmux-run` as a program of its own. Does nothing and reads nothing until it is parsed. */
export function createRunProgram(context: Context): Command {
  const program = createBareProgram('agentmux-run', context);
  describeRunCommand(program, context);
  return program;
}

function describeRunCommand(command: Command, context: Context): void {
  command
    .description('Run a command, as a rule an AI agent, so that all that it starts is tracked and can be ended.')
    .usage('[options] [--] COMMAND [ARG...]')
    .argument('[command...]', 'the command and its arguments, handed over untouched')
    .passThroughOptions()
    .helpOption('-h, --help', 'print this help')
    .option('-b, --block <name>', 'name of the block; of a block that has ended, one more run of it')
    .option(
      '--leftovers <policy>',
      `what to do with processes that outlive the command: ${leftoversPolicies.join(', ')} (default: report; also AGENTMUX_LEFTOVERS and the configuration)`,
    )
    .option('--fail-on-leak', 'exit with 123 if the command ended with 0 and processes outlived it')
    .option('--timeout <time>', 'end it all after this time, e.g. 90, 1.5s, 10m; 0 is no limit')
    .option(
      '--grace <time>',
      'from TERM to KILL when processes are ended; 0 is KILL at once (default: 4s; also AGENTMUX_GRACE and the configuration)',
    )
    .option('--nohup', 'start the command with SIGHUP ignored; not on Windows')
    .option('--pass-fd <n>', 'hand over descriptor n, a pipe; may be repeated; not on Windows', collect)
    .option('--terminal', "the command is a person's shell: end nothing of it; on Unix nothing of it is tracked")
    .option('--tracker <type>', `how to track: ${trackerChoices.join(', ')} (default: auto; also AGENTMUX_TRACKER)`)
    .option('--require <type>', `start nothing unless this tracker can be had: ${requirable.join(', ')}`)
    .option('--priority <level>', `let the command and all that it starts give way: ${priorities.join(', ')}`)
    .option('--no-labels', 'add nothing to the command and environment that tells its tool calls apart')
    .option('-n, --dry-run', 'print what would be done')
    .option('--json', 'with --dry-run: print it as JSON')
    .option('-q, --quiet', 'say only what went wrong')
    .option('--verbose', 'say how the command is tracked, and every step at the end')
    .addHelpText('after', () => [examplesHelp(examples), leftoversHelp, exitCodesHelp()].join('\n'))
    .action(async (operands: string[], raw: RawRunOptions) => {
      try {
        context.exitCode = await runCommand(operands, raw, context);
      } catch (error) {
        if (!(error instanceof AgentmuxError)) throw error;
        context.exitCode = reportLaunchFailure(error, context, raw.dryRun === true && raw.json === true);
      }
    });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const examples: readonly Example[] = [
  ['agentmux-run claude', 'run an agent; see with "agentmux ps" what it starts'],
  ['agentmux-run --leftovers kill claude -p "fix it"', 'leave nothing behind, e.g. in CI or cron'],
  ['agentmux-run --block web codex', 'under a name of your own'],
  ['agentmux-run --timeout 10m --fail-on-leak gemini', 'at most ten minutes, and fail if something is left'],
  ['agentmux-run --dry-run npx some-agent', 'say what would be done'],
];

const leftoversHelp = `
What outlives the command is listed on stderr and keeps running (report); is ended
(kill); is kept without a word (keep); or you are asked on the terminal (ask).
TERM, HUP and --timeout end everything, unless keep was asked for. What is marked by
"agentmux keep", or named in the configuration, is never ended with its block.`;

function exitCodesHelp(): string {
  const rows: readonly (readonly [string, string])[] = [
    ['n', "the command's own exit code; 128+n after its death by signal n"],
    [String(RunExitCode.leaked), '--fail-on-leak: it ended with 0 and left processes behind'],
    [String(RunExitCode.timedOut), '--timeout ended it'],
    [String(RunExitCode.failed), 'nothing was started: wrong usage, or it was refused'],
    [String(RunExitCode.notExecutable), 'the command cannot be executed'],
    [String(RunExitCode.notFound), 'the command was not found'],
  ];
  return ['', 'Exit codes:', ...rows.map(([code, means]) => `  ${code.padStart(3)}  ${means}`)].join('\n');
}
