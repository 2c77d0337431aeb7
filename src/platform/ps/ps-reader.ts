import { AgentmuxError } from '../../errors.ts';
import { commandArguments, type PsCommand, parseCommands } from './command-line.ts';
import type { PsDialect } from './dialect.ts';
import type { LastResort } from './last-resort.ts';
import { type PsRow, parseTable, tableArguments } from './parse-table.ts';
import { ProgramError, type ProgramOutput, type RunProgram } from './run-program.ts';

/** Calls `ps` and reads what it prints. Keeps nothing but which dialect this `ps` speaks. */
export interface PsReader {
  /** Undefined if `ps` speaks none of them, so that the last resort is asked instead. */
  readonly dialect: () => PsDialect | undefined;
  /** Why the last resort is asked; undefined if it is not. */
  readonly failure: () => string | undefined;
  /** Every process but the `ps` itself. Throws AgentmuxError `no-ps` if it cannot be read: never empty. */
  table(): PsRow[];
  /** One process; undefined if there is none. */
  row(pid: number): PsRow | undefined;
  /** Commands of all processes by pid, with the environments behind them where that is asked for. */
  commands(withEnvironment: boolean): ReadonlyMap<number, PsCommand>;
}

/** A reader that tries the dialects in turn, once. */
export function createPsReader(
  run: RunProgram,
  dialects: readonly PsDialect[],
  ownPid: number,
  lastResort?: LastResort,
): PsReader {
  let chosen: PsDialect | undefined;
  let failure: string | undefined;
  /** The table by which the dialect was found out, for whoever asks for one in the next moment. */
  let spare: { readonly rows: PsRow[]; readonly at: number } | undefined;

  function choose(): PsDialect | undefined {
    if (chosen === undefined && failure === undefined) spare = { rows: readFirstTable(), at: performance.now() };
    return chosen;
  }

  function takeSpare(): PsRow[] | undefined {
    const taken = spare;
    spare = undefined;
    return taken !== undefined && performance.now() - taken.at < SPARE_GOOD_MS ? taken.rows : undefined;
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
    const reason = [...new Set(failures)].join('; ');
    const rows = lastResort === undefined ? fail(reason) : askLastResort(lastResort, reason);
    failure = reason;
    return rows;
  }

  function askLastResort({ table }: LastResort, reason: string): PsRow[] {
    try {
      return table();
    } catch (error) {
      if (error instanceof ProgramError) return fail(`${reason}; ${error.message}`);
      throw error;
    }
  }

  function tryTable(dialect: PsDialect): PsRow[] | string {
    try {
      const output = run('ps', [...dialect.every, ...tableArguments(dialect)], dialect.locale);
      if (output.status !== 0) return describeEnd(output);
      const rows = parseTable(output.text, dialect);
      if (!rows.some(({ pid }) => pid === ownPid)) return 'ps did not show the process that asked';
      return rows.filter(({ pid }) => pid !== output.pid);
    } catch (error) {
      if (error instanceof ProgramError) return error.message;
      throw error;
    }
  }

  /** Throws too where it ended otherwise than by one who has listed all: what it left out is unknown, not gone. */
  function list(
    dialect: PsDialect,
    args: readonly string[],
    isWhole = ({ status }: ProgramOutput) => status === 0,
  ): ProgramOutput {
    try {
      const output = run('ps', args, dialect.locale);
      return isWhole(output) ? output : fail(describeEnd(output));
    } catch (error) {
      if (error instanceof ProgramError) return fail(error.message);
      throw error;
    }
  }

  return {
    dialect: choose,
    failure() {
      choose();
      return failure;
    },
    table() {
      const rows = takeSpare();
      if (rows !== undefined) return rows;
      if (failure !== undefined && lastResort !== undefined) return askLastResort(lastResort, failure);
      if (chosen === undefined) return readFirstTable();
      const result = tryTable(chosen);
      return typeof result === 'string' ? fail(result) : result;
    },
    row(pid) {
      const dialect = choose();
      if (dialect === undefined) return this.table().find((row) => row.pid === pid);
      const { text } = list(dialect, [...tableArguments(dialect), '-p', String(pid)], isAnswerForOne);
      return parseTable(text, dialect).find((row) => row.pid === pid);
    },
    commands(withEnvironment) {
      const dialect = choose();
      if (dialect === undefined) return new Map();
      const every = withEnvironment ? dialect.everyWithEnvironment : dialect.every;
      const { text, pid } = list(dialect, [...every, ...commandArguments]);
      const commands = parseCommands(text);
      commands.delete(pid);
      return commands;
    },
  };
}

const SPARE_GOOD_MS = 100;

/** It exits with 1 and prints nothing where there is no such process. */
function isAnswerForOne({ status, text }: ProgramOutput): boolean {
  return status === 0 || (status === 1 && text.trim() === '');
}

function describeEnd({ status }: ProgramOutput): string {
  return status === null ? 'a signal ended ps' : `ps ended with status ${status}`;
}

function fail(detail: string): never {
  const hint = 'look at what this prints: ps -axww -o pid= -o ppid= -o lstart= -o comm=';
  throw new AgentmuxError('failed', `cannot read processes by ps: ${detail}`, { code: 'no-ps', hint });
}
