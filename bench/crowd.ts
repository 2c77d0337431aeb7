import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createGroup, endGroup, readGroup } from '../test/helpers/cgroup.ts';
import { insideGroup } from '../test/helpers/crowd.ts';
import { buildPopulation, type PopulationName, populationArguments } from '../test/helpers/population.ts';
import { countZombies, readRow, readTable } from '../test/helpers/procfs.ts';
import { waitFor } from '../test/helpers/wait-for.ts';
import { agentmux, agentmuxRun, openBed } from './beds.ts';

/** A population that stands, in a cgroup around the whole of it by which survivors are counted. */
export interface Crowd extends AsyncDisposable {
  /** Names the state directory of its block. */
  readonly env: Readonly<Record<string, string>>;
  /** The cgroup around it. */
  readonly group: string;
  /** First process of the population; leads a process group of its own. */
  readonly rootPid: number;
  /** Pids that live now; zombies do not. */
  members(): number[];
  /** `agentmux kill-tree --grace 0`, as a process of its own. */
  killTree(): Promise<number>;
}

/** Starts a population under agentmux-run with that tracker, or bare. */
export async function openCrowd(name: PopulationName, tracker: 'cgroup' | 'scan' | undefined): Promise<Crowd> {
  await waitFor('the dead of the crowd before to be reaped', () => countZombies() < 200, 60_000);
  const bed = openBed();
  const group = createGroup();
  const population = [buildPopulation(), ...populationArguments(name, 40)];
  const wrapper = [...agentmuxRun, '--block', 'crowd', '--tracker', `${tracker}`, '--quiet', '--', ...population];
  const argv = [...insideGroup(group), ...(tracker === undefined ? ['setsid', ...population] : wrapper)];
  const child = await bed.start(argv);
  const first = child.pid ?? 0;
  const rootPid = tracker === undefined ? first : findChild(first);
  return {
    env: bed.env,
    group,
    rootPid,
    members: () => readGroup(group).filter((pid) => pid !== 0 && (tracker === undefined || pid !== first)),
    killTree: () => run([...agentmux, 'kill-tree', '--block', 'crowd', '--grace', '0', '--yes'], bed.env),
    async [Symbol.asyncDispose]() {
      await endGroup(group);
      await bed[Symbol.asyncDispose]();
    },
  };
}

function findChild(pid: number): number {
  const child = readTable().find((row) => row.ppid === pid);
  if (child === undefined) throw new Error(`pid ${pid} has no child: ${JSON.stringify(readRow(pid))}`);
  return child.pid;
}

async function run(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const [command = '', ...args] = argv;
  const child: ChildProcess = spawn(command, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  const [status] = await once(child, 'exit');
  return Number(status);
}
