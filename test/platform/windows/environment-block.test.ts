import { describe, expect, it } from 'vitest';
import { environmentBlock } from '../../../src/platform/windows/environment-block.ts';

const text = (env: Record<string, string | undefined>) => environmentBlock(env).toString('utf16le');

describe('environmentBlock', () => {
  it('sorts by the upper-case name and ends with an empty entry', () => {
    expect(text({ b: '2', A: 'ä €', _: '', '=C:': 'C:\\x' })).toBe('=C:=C:\\x\0A=ä €\0b=2\0_=\0\0');
  });

  it('holds a name once, however it is written, with what was said last', () => {
    expect(text({ Path: 'a', PATH: 'b' })).toBe('PATH=b\0\0');
  });

  it('leaves out what no entry can hold', () => {
    expect(text({ A: 'x\0y', '': 'z', B: undefined })).toBe('\0\0');
  });
});
