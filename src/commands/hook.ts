import type { Command } from 'commander';
import { claudeHookSettings } from '../agents/claude-labels.ts';
import type { Context } from '../context.ts';
import { AgentmuxError } from '../errors.ts';
import { findBashwrap } from '../launch/apply-labels.ts';
import { selectStarter } from '../platform/select-starter.ts';
import { examplesHelp } from './shared/help.ts';

/** `agentmux hook`: the settings by which an agent tells its tool calls, for those who wire it themselves. */
export function registerHook(program: Command, context: Context): void {
  program
    .command('hook')
    .summary('print the settings that label tool calls')
    .description(
      'Print the settings by which an agent notes which tool call started a process. agentmux-run gives them to the ' +
        'agent that it starts; this is for an agent that is started by something else inside of a run, e.g. a script.',
    )
    .argument('<agent>', 'claude')
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action(async (agent: string) => runHook(agent, context));
}

const EXAMPLES = [
  ['agentmux hook claude', 'what to put into ~/.claude/settings.json'],
  ['claude --settings "$(agentmux hook claude)"', 'the same for one start'],
] as const;

async function runHook(agent: string, context: Context): Promise<void> {
  if (agent !== 'claude') {
    throw new AgentmuxError('usage', `no hook is known for "${agent}"`, { hint: 'agentmux hook claude' });
  }
  const { labelsObstacle } = await selectStarter(context.platform.os);
  if (labelsObstacle !== undefined) {
    throw new AgentmuxError('failed', `tool calls cannot be labelled: ${labelsObstacle}`, { code: 'no-labels' });
  }
  const bashwrap = findBashwrap();
  if (bashwrap === undefined) {
    throw new AgentmuxError('failed', 'agentmux-bashwrap is missing in this installation, or may not be executed', {
      hint: 'install agentmux again from where it came',
      code: 'no-bashwrap',
    });
  }
  // The agent's own document, so without the schemaVersion of ours.
  const settings = { env: { CLAUDE_CODE_SHELL_PREFIX: bashwrap }, ...claudeHookSettings(bashwrap) };
  context.stdout.write(`${JSON.stringify(settings, undefined, 2)}\n`);
  if (!context.stderr.isTTY) return;
  context.stderr.write(
    'note: calls are noted where AGENTMUX_CALLS names a directory: inside of agentmux-run\n' +
      'note: a prefix of your own goes into AGENTMUX_SHELL_PREFIX\n',
  );
}
