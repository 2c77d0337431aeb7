import { describe, expect, it } from 'vitest';
import { renderJson } from '../../src/render/json.ts';

describe('renderJson', () => {
  it('starts with the schema version and shows the unknown as null', () => {
    expect(renderJson({ rows: [{ pid: 1, cpuMs: undefined }] })).toMatchInlineSnapshot(`
      "{
        "schemaVersion": 1,
        "rows": [
          {
            "pid": 1,
            "cpuMs": null
          }
        ]
      }
      "
    `);
  });

  it('escapes what a terminal would act on', () => {
    expect(renderJson({ a: '\x1b\x9b\u2028\u202e' })).toContain('"a": "\\u001b\\u009b\\u2028\\u202e"');
  });
});
