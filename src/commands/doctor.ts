import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { ExitCode } from '../errors.ts';
import { renderJson } from '../render/json.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import { diagnose } from './shared/diagnosis.ts';
import { describeDiagnosis, listEscapes } from './shared/diagnosis-text.ts';
import { examplesHelp } from './shared/help.ts';

/** `agentmux doctor`: how well runs that are started here would be tracked. */
export function registerDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .summary('say how well runs are tracked here')
    .description(
      'Say how a run that is started here would be tracked, why not better, what could escape it, and the one command ' +
        'that would improve it. Proves the tracker by a trial that leaves nothing. Fails if runs cannot be recorded.',
    )
    .option('--json', 'print one JSON document')
    .addHelpText('after', examplesHelp(EXAMPLES))
    .action((options: { readonly json?: boolean }) => runDoctor(context, options.json ?? false));
}

const EXAMPLES = [
  ['agentmux doctor', 'where and how agents would be tracked from this shell'],
  ['AGENTMUX_TRACKER=scan agentmux doctor', 'the same with another tracker'],
] as const;

async function runDoctor(context: Context, json: boolean): Promise<void> {
  const diagnosis = await diagnose(context);
  if (diagnosis.state.status === 'unusable') context.exitCode = ExitCode.failed;
  const text = describeDiagnosis(diagnosis).map((line) => `${escapeUntrusted(line)}\n`);
  context.stdout.write(json ? renderJson({ ...diagnosis, escapes: listEscapes(diagnosis) }) : text.join(''));
}
