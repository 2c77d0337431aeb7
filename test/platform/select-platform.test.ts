import { expect, it } from 'vitest';
import { selectPlatform, selectWindows } from '../../src/platform/select-platform.ts';

it('is the reader of procfs on Linux, and that of ps where this was asked for or there is no other', () => {
  expect(selectPlatform('linux')).toMatchObject({ os: 'linux' });
  expect(selectPlatform('linux', { processTable: 'ps' }).reader).toBeDefined();
  expect(selectPlatform('darwin').os).toBe('darwin');
  expect(() => selectPlatform('linux', { processTable: 'top' })).toThrow(expect.objectContaining({ kind: 'usage' }));
});

it('refuses a Node of 32 bits on Windows before anything is called', () => {
  expect(() => selectWindows('ia32')).toThrow(
    expect.objectContaining({
      code: 'unsupported-system',
      message: 'agentmux cannot run on a Node of ia32 for Windows',
    }),
  );
});
