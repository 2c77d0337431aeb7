import { writeSync } from 'node:fs';

/**
 * Prints `pid ppid name` for every process that pidtree or, where that fails, ps-tree finds; a `?` for a name that is
 * unknown. A program of its own, since both answer later and Platform answers at once. Exits with 1 if neither can.
 */
void main();

async function main(): Promise<void> {
  const failures: string[] = [];
  for (const list of [listByPidtree, listByPsTree]) {
    try {
      const lines = await list();
      if (lines.length === 0) throw new Error('it found no process');
      writeSync(1, lines.map((line) => `${line}\n`).join(''));
      return;
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  writeSync(1, `${failures.join('; ').replaceAll('\n', ' ')}\n`);
  process.exitCode = 1;
}

async function listByPidtree(): Promise<string[]> {
  const { default: pidtree } = await import('pidtree');
  const found = await pidtree(-1, { advanced: true });
  return found.map(({ pid, ppid }) => `${pid} ${ppid} ?`);
}

async function listByPsTree(): Promise<string[]> {
  const { default: psTree } = await import('ps-tree');
  const found = await new Promise<readonly PsTreeRow[]>((settle, fail) => {
    psTree(1, (error, children) => (error === null ? settle(children) : fail(error)));
  });
  return found.map(({ PID, PPID, COMMAND, COMM }) => `${PID} ${PPID} ${COMMAND || COMM || '?'}`);
}

/** Headers as ps-tree gives them, which are those of the system's `ps`. */
interface PsTreeRow {
  readonly PID: string;
  readonly PPID: string;
  readonly COMMAND?: string;
  readonly COMM?: string;
}
