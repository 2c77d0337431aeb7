import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { ExitCode } from '../errors.ts';
import { renderJson } from '../render/json.ts';
import { renderTable } from '../render/table.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { diagnose } from './shared/diagnosis.ts';
import { describeDiagnosis, listEscapes } from './shared/diagnosis-text.ts';
import { examplesHelp } from './shared/help.ts';
import { findStrayAgents, strayColumns } from './shared/stray-agents.ts';
import { viewOf } from './shared/view.ts';

/** `agentmux doctor`: how well runs that are started here would be tracked. */
export function registerDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .summary('say how well runs are tracked here')
    .description(
      'Say how a run that is started here would be tracked, why not better, what could escape it, and the one command ' +
        'that would improve it. Proves the tracker by a trial that leaves nothing. Fails if runs cannot be recorded. With ' +
        '--untracked it lists instead the agents that run outside any block, and touches none of them.',
    )
    .option('--untracked', 'list agents of known kinds that run outside any block')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action(({ untracked, json = false }: DoctorOptions) =>
      untracked ? listStrayAgents(context, json) : runDoctor(context, json),
    );
}

interface DoctorOptions {
  readonly untracked?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = [
  ['agentmux doctor', 'where and how agents would be tracked from this shell'],
  ['agentmux doctor --untracked', 'agents that were started without agentmux-run'],
  ['AGENTMUX_TRACKER=scan agentmux doctor', 'the same with another tracker'],
] as const;

async function runDoctor(context: Context, json: boolean): Promise<void> {
  const diagnosis = await diagnose(context);
  if (diagnosis.state.status === 'unusable') context.exitCode = ExitCode.failed;
  const text = describeDiagnosis(diagnosis).map((line) => `${escapeUntrusted(line)}\n`);
  context.stdout.write(json ? renderJson({ ...diagnosis, escapes: listEscapes(diagnosis) }) : text.join(''));
}

async function listStrayAgents(context: Context, json: boolean): Promise<void> {
  const agents = findStrayAgents(context);
  if (json) return context.stdout.write(renderJson({ agents }));
  context.stdout.write(await renderTable(strayColumns, agents, viewOf(context, { noTrunc: false })));
  const advice = 'started by agentmux-run they would be tracked; agentmux init makes a shell do so';
  context.stderr.write(agents.length === 0 ? 'no agent runs outside a block\n' : `${advice}\n`);
}
