import { describe, expect, it } from 'vitest';
import { parseOutputForm, renderListing } from '../../src/commands/shared/output-form.ts';

const fields = ['pid', 'command', 'argv', 'cwd'];

describe('parseOutputForm', () => {
  it.each([
    [{}, 'table'],
    [{ json: true }, 'json'],
    [{ format: 'json' }, 'json'],
    [{ json: true, format: 'json' }, 'json'],
    [{ format: 'table' }, 'table'],
    [{ quiet: true }, 'quiet'],
    [{ format: '{{.pid}}' }, 'template'],
  ])('reads %o as %s', (raw, type) => expect(parseOutputForm(raw, fields).type).toBe(type));

  it.each([
    [{ json: true, format: '{{.pid}}' }, '--json and --format exclude each other'],
    [{ quiet: true, json: true }, '-q and --json or --format exclude each other'],
    [{ format: 'yaml' }, '"yaml" is no format'],
    [{ format: '{{.nope}}' }, 'there is no field "nope"'],
  ])('refuses %o', (raw, message) => expect(() => parseOutputForm(raw, fields)).toThrow(message));
});

describe('renderListing', () => {
  const row = { pid: 7, cwd: undefined, argv: ['a', '\x9b'], command: 'x\x1b[2J' };
  const texts = { json: () => 'json', quiet: () => 'quiet', table: () => Promise.resolve('table') };

  it('fills a template with the unknown as a dash and lists as JSON, and escapes all of it', async () => {
    const form = parseOutputForm({ format: '{{.pid}}|{{.cwd}}|{{.argv}}|{{.command}}' }, fields);
    expect(await renderListing(form, () => [row], texts)).toBe('7|-|["a","\\x9b"]|x\\x1b[2J\n');
  });

  it.each([
    [{}, 'table'],
    [{ json: true }, 'json'],
    [{ quiet: true }, 'quiet'],
  ])('prints for %o what is of that form', async (raw, text) => {
    expect(await renderListing(parseOutputForm(raw, fields), () => [row], texts)).toBe(text);
  });
});
