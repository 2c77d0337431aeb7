import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Definition {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

const definitions = (name: string): Readonly<Record<string, Definition>> =>
  (JSON.parse(readFileSync(`schema/${name}.schema.json`, 'utf8')) as { $defs: Record<string, Definition> }).$defs;

describe('the schemas of watch and events', () => {
  it.each(['watch', 'events'])('%s tells of a process what ps tells, and what it used just now', (name) => {
    const { cpuNowPercent, ...properties } = definitions(name)['row']?.properties ?? {};
    expect(cpuNowPercent).toBeDefined();
    expect(properties).toEqual(definitions('ps')['row']?.properties);
  });

  it('events tells of blocks, processes and entries what watch tells', () => {
    for (const part of ['block', 'row', 'entry'])
      expect(definitions('events')[part]).toEqual(definitions('watch')[part]);
  });
});
