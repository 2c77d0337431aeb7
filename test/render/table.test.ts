import { describe, expect, it } from 'vitest';
import { type Column, renderTable, type TableView } from '../../src/render/table.ts';

interface Row {
  readonly pid: number;
  readonly command: string;
}

const columns: readonly Column<Row>[] = [
  { header: 'PID', align: 'right', text: (row) => String(row.pid) },
  { header: 'COMMAND', text: (row) => row.command, style: () => 'red' },
];
const pipe: TableView = { isTTY: false, columns: undefined, colorLevel: 0, unicode: true };
const terminal: TableView = { isTTY: true, columns: 24, colorLevel: 0, unicode: true };
const rows: readonly Row[] = [
  { pid: 7, command: 'sleep 1000' },
  { pid: 12345, command: 'node server.js --port 8080 --verbose' },
];

describe('renderTable', () => {
  it('prints one aligned line a row into a pipe and cuts nothing', async () => {
    expect(await renderTable(columns, rows, pipe)).toMatchInlineSnapshot(`
      "  PID  COMMAND
          7  sleep 1000
      12345  node server.js --port 8080 --verbose
      "
    `);
  });

  it('cuts the last column to the terminal', async () => {
    expect(await renderTable(columns, rows, terminal)).toMatchInlineSnapshot(`
      "  PID  COMMAND
          7  sleep 1000
      12345  node server.js -…
      "
    `);
  });

  it('lays out the same with cli-table3 and with its own writer', async () => {
    const many = Array.from({ length: 120 }, (_, pid) => ({
      pid: pid + 10_000,
      command: `sleep ${'日'.repeat(pid % 9)}`,
    }));
    const few = (await renderTable(columns, many.slice(0, 12), terminal)).split('\n').slice(0, 13);
    const all = (await renderTable(columns, many, terminal)).split('\n').slice(0, 13);
    expect(few).toEqual(all);
  });

  it('leaves out columns that yield where the last one would have no room, the least needed first', async () => {
    const wide: Column<Row>[] = [
      { header: 'PID', text: (row) => String(row.pid) },
      { header: 'PARENT', yields: 2, text: () => 'orphan' },
      { header: 'STATE', yields: 1, text: () => 'sleeping' },
      { header: 'COMMAND', text: (row) => row.command },
    ];
    const headers = async (view: TableView): Promise<string> =>
      (await renderTable(wide, rows, view)).split('\n')[0]?.replace(/ +/g, ' ') ?? '';
    expect(await headers({ ...terminal, columns: 45 })).toBe('PID PARENT STATE COMMAND');
    expect(await headers({ ...terminal, columns: 44 })).toBe('PID PARENT COMMAND');
    expect(await headers({ ...terminal, columns: 34 })).toBe('PID COMMAND');
    expect(await headers(pipe)).toBe('PID PARENT STATE COMMAND');
    expect(await headers({ ...terminal, columns: undefined })).toBe('PID PARENT STATE COMMAND');
  });

  it('never cuts inside a character of two cells', async () => {
    const wide = [{ pid: 1, command: '日本語日本語日本語' }];
    expect(await renderTable(columns, wide, { ...terminal, columns: 18 })).toContain('日本語日本語…');
    expect(await renderTable(columns, wide, { ...terminal, columns: 17 })).toMatch(/1 {2}日本語日本…\n/);
  });

  it('marks a cut in ASCII where the locale has no other characters', async () => {
    expect(await renderTable(columns, rows, { ...terminal, unicode: false })).toContain('node server.js -~');
  });

  it('colours only where the stream has colours, and keeps the alignment', async () => {
    const painted = await renderTable(columns, rows, { ...terminal, colorLevel: 1 });
    expect(painted).toContain('\x1b[31msleep 1000\x1b[39m');
    expect(painted.replace(/\x1b\[\d+m/g, '')).toBe(await renderTable(columns, rows, terminal));
  });

  it('escapes what a process wrote into its command', async () => {
    const hostile = [{ pid: 1, command: 'x\x1b]52;c;aGk=\x07\n99999 fake row' }];
    const text = await renderTable(columns, hostile, { ...terminal, columns: 200, colorLevel: 3 });
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain('x\\x1b]52;c;aGk=\\x07\\n99999 fake row');
  });

  it('prints nothing for no rows', async () => {
    expect(await renderTable(columns, [], terminal)).toBe('');
  });
});
