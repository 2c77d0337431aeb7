import { expect, it } from 'vitest';
import { createRig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { findByArgv } from '../helpers/procfs.ts';
import { describeIf } from '../helpers/skip.ts';
import { claudeEnvironment, installClaude } from './claude.ts';
import { startModelServer } from './model-server.ts';

const claude = installClaude();
const [rounds, calls] = [5, 10];

describeIf(claude !== undefined, 'claude could not be installed', 'labels of a real claude', () => {
  it('cost a Bash call little, and leave no helper running', async () => {
    const ratios: number[] = [];
    const all: { readonly with: number[]; readonly without: number[] } = { with: [], without: [] };
    for (let round = 0; round < rounds; round += 1) {
      const withThem = await timeCalls([]);
      const without = await timeCalls(['--no-labels']);
      ratios.push(...withThem.map((ms, index) => ms / (without[index] ?? Number.NaN)));
      all.with.push(...withThem);
      all.without.push(...without);
    }
    const [ratio, labelled, plain] = [ratios, all.with, all.without].map(median);
    process.stdout.write(
      `a Bash call with labels: ${labelled?.toFixed(1)} ms, without: ${plain?.toFixed(1)} ms, ` +
        `median ratio of ${ratios.length}: ${ratio?.toFixed(2)}\n`,
    );
    expect(ratios).toHaveLength(rounds * calls);
    expect(ratio).toBeLessThan(2);
    expect(findByArgv('agentmux-bashwrap')).toEqual([]);
  }, 300_000);
});

/** Ms that claude takes for each of its Bash calls, from the model's answer to the next question. */
async function timeCalls(options: readonly string[]): Promise<number[]> {
  const rig = createRig();
  const spans: number[] = [];
  const turns = Array.from({ length: calls + 1 }, (_, index) => ({
    text: `call ${index}`,
    tools: [{ command: `true ${index}`, description: 'nothing' }],
  }));
  const baseUrl = await startModelServer([...turns, { text: 'done' }], spans);
  const call = rig.run(...options, '--', claude ?? '', '-p', 'do it', '--dangerously-skip-permissions');
  for (const [variable, value] of Object.entries(claudeEnvironment(baseUrl))) call.env(variable, value);
  await call.stdout(/done/).stderr(anything).run();
  // The first call also makes the snapshot of the shell.
  expect(spans).toHaveLength(calls + 1);
  return spans.slice(1);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
