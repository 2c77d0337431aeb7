import { AgentmuxError } from '../../errors.ts';
import { commandArguments, type PsCommand, parseCommands } from './command-line.ts';
import type { PsDialect } from './dialect.ts';
import { type PsRow, parseTable, tableArguments } from './parse-table.ts';
import { ProgramError, type ProgramOutput, type RunProgram } from './run-program.ts';

/** Calls `ps` and reads what it prints. Keeps nothing but which dialect this `ps` speaks. */
export interface PsReader {
  readonly dialect: () => PsDialect;
  /** Every process but the `ps` itself. Throws AgentmuxError `no-ps` if it cannot be read: never empty. */
  table(): PsRow[];
  /** One process; undefined if there is none. */
  row(pid: number): PsRow | undefined;
  /** Commands of all processes by pid, with the environments behind them where that is asked for. */
  commands(withEnvironment: boolean): ReadonlyMap<number, PsCommand>;
}

/** A reader that tries the dialects in turn, once. */
export function createPsReader(run: RunProgram, dialects: readonly PsDialect[], ownPid: number): PsReader {
  let chosen: PsDialect | undefined;

  function choose(): PsDialect {
    if (chosen !== undefined) return chosen;
    readFirstTable();
    return chosen ?? fail('no form of it is known');
  }

  /** The first dialect in which `ps` shows us ourselves. */
  function readFirstTable(): PsRow[] {
    const failures: string[] = [];
    for (const dialect of dialects) {
      const result = tryTable(dialect);
      if (typeof result === 'string') failures.push(result);
      else {
        chosen = dialect;
        return result;
      }
    }
    return fail([...new Set(failures)].join('; '));
  }

  function tryTable(dialect: PsDialect): PsRow[] | string {
    try {
      const output = run('ps', [...dialect.every, ...tableArguments(dialect)], dialect.locale);
      if (output.status !== 0) return `ps ended with status ${output.status ?? 'of a signal'}`;
      const rows = parseTable(output.text, dialect);
      if (!rows.some(({ pid }) => pid === ownPid)) return 'ps did not show the process that asked';
      return rows.filter(({ pid }) => pid !== output.pid);
    } catch (error) {
      if (error instanceof ProgramError) return error.message;
      throw error;
    }
  }

  function list(args: (dialect: PsDialect) => readonly string[]): ProgramOutput {
    const dialect = choose();
    try {
      return run('ps', args(dialect), dialect.locale);
    } catch (error) {
      if (error instanceof ProgramError) return fail(error.message);
      throw error;
    }
  }

  return {
    dialect: choose,
    table() {
      if (chosen === undefined) return readFirstTable();
      const result = tryTable(chosen);
      return typeof result === 'string' ? fail(result) : result;
    },
    row(pid) {
      // It exits with 1 where there is no such process.
      const { text } = list((dialect) => [...tableArguments(dialect), '-p', String(pid)]);
      return parseTable(text, choose()).find((row) => row.pid === pid);
    },
    commands(withEnvironment) {
      const { text, pid } = list(({ every, everyWithEnvironment }) => [
        ...(withEnvironment ? everyWithEnvironment : every),
        ...commandArguments,
      ]);
      const commands = parseCommands(text);
      commands.delete(pid);
      return commands;
    },
  };
}

function fail(detail: string): never {
  const hint = 'look at what this prints: ps -axww -o pid= -o ppid= -o lstart= -o comm=';
  throw new AgentmuxError('failed', `cannot read processes by ps: ${detail}`, { code: 'no-ps', hint });
}
