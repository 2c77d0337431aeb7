/**
 * `npm run bench [SECTION…]`: every budget that can be measured here, and the ways to kill a tree side by
 * side. Ratios, not times, hold on a noisy machine: each number is a median of ratios within one run. Exits 1 if a
 * budget is missed.
 */
import { benchCalls } from './calls.ts';
import { benchEnumeration } from './enumerate.ts';
import { benchKillers } from './kill.ts';
import { benchKillTree } from './kill-tree.ts';
import { benchLabels } from './labels.ts';
import { benchLaunch } from './launch.ts';
import { benchListing } from './listing.ts';
import { benchMemory } from './memory.ts';
import { type BudgetRow, printBudgets } from './report.ts';
import { benchSpawn } from './spawn.ts';
import { benchWatch } from './watch.ts';

const sections: Readonly<Record<string, () => Promise<readonly BudgetRow[]>>> = {
  listing: benchListing,
  launch: benchLaunch,
  enumerate: benchEnumeration,
  'kill-tree': benchKillTree,
  memory: benchMemory,
  watch: benchWatch,
  labels: benchLabels,
  calls: benchCalls,
};

const asked = process.argv.slice(2);
const known = [...Object.keys(sections), 'spawn', 'killers'];
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`no section "${unknown[0]}": ${known.join(', ')}`);
const isAsked = (name: string) => asked.length === 0 || asked.includes(name);

// They change what each start of Node costs, that of the other side too: Node 20 reads the certificates at every start,
// for three times as long as all else takes it, beside which nothing that we do would be seen.
for (const name of ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NODE_DEBUG']) delete process.env[name];

for (const [name, measure] of Object.entries(sections)) {
  if (isAsked(name) && !printBudgets(name, await measure())) process.exitCode = 1;
}
if (isAsked('spawn')) await benchSpawn();
if (isAsked('killers')) await benchKillers();
