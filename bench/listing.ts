import { agentmux, agentmuxRun, type Bed, bareNode, crowd, fillTable, openBed } from './beds.ts';
import { type Candidate, measureRounds } from './measure.ts';
import { type BudgetRow, ratioRow } from './report.ts';
import { medianRatio } from './stats.ts';

const rounds = 15;

/** CPU of `agentmux ps` against that of a bare Node, with few and with many members. */
export async function benchListing(): Promise<BudgetRow[]> {
  return [...(await benchMembers(20, smallLimits)), ...(await benchMembers(200, largeLimits))];
}

type Limits = readonly {
  readonly name: string;
  readonly args: readonly string[];
  readonly limit: number;
  readonly tty?: boolean;
}[];

const smallLimits: Limits = [
  { name: 'ps --json --no-ports, 20 members among 200 processes', args: ['ps', '--json', '--no-ports'], limit: 1.25 },
  { name: 'ps on a terminal, 20 members', args: ['ps', '--no-ports'], limit: 1.5, tty: true },
];
const largeLimits: Limits = [
  { name: 'ps --json --no-ports, 200 members', args: ['ps', '--json', '--no-ports'], limit: 1.5 },
  { name: 'ps --json with ports, 200 members', args: ['ps', '--json'], limit: 1.9 },
];

async function benchMembers(members: number, limits: Limits): Promise<BudgetRow[]> {
  await using bed: Bed = openBed();
  await bed.start([...agentmuxRun, '--block', 'bench', '--', ...crowd(members)]);
  await fillTable(bed, 200);
  const { env } = bed;
  const candidates: Candidate[] = [
    { name: 'node -e 0', argv: bareNode },
    ...limits.map(({ name, args, tty }) => ({ name, argv: [...agentmux, ...args], env, tty: tty === true })),
  ];
  const costs = measureRounds(candidates, rounds);
  const cpu = (name: string) => (costs.get(name) ?? []).map(({ cpuMs }) => cpuMs);
  return limits.map(({ name, limit }) =>
    ratioRow(`CPU of ${name}`, medianRatio(cpu(name), cpu('node -e 0')), limit, 'node -e 0'),
  );
}
