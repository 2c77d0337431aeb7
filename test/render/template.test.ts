import { describe, expect, it } from 'vitest';
import { fillTemplate, parseTemplate } from '../../src/render/template.ts';

describe('parseTemplate', () => {
  it.each([
    ['{{.pid}}', '[pid]'],
    ['{{ .pid }}\\t{{.command}}\\n', '[pid]\t[command]\n'],
    ['pid={{.pid}};', 'pid=[pid];'],
    ['{{.tracker.type}}', '[tracker.type]'],
    ['no field', 'no field'],
  ])('fills %s in', (source, expected) => {
    const template = parseTemplate(source);
    expect(template && fillTemplate(template, (field) => `[${field}]`)).toBe(expected);
  });

  it('names each field once', () => {
    expect(parseTemplate('{{.pid}} {{.pid}} {{.cwd}}')?.fields).toEqual(['pid', 'cwd']);
  });

  it.each(['{{pid}}', '{{.pid', '{{}}', '{{.pid | json}}', '{{range .rows}}'])('refuses %s', (source) => {
    expect(parseTemplate(source)).toBeUndefined();
  });
});
