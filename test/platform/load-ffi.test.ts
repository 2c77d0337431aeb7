import { describe, expect } from 'vitest';
import { loadFfi } from '../../src/platform/load-ffi.ts';
import { isWindows, itIf } from '../helpers/skip.ts';

describe('loading the native calls', () => {
  itIf(
    !isWindows,
    'Windows has no getpid',
    'gives working calls and leaves the diagnostic report of the process as it was',
    () => {
      const before = process.report;
      const { open, load, DataType } = loadFfi();
      open({ library: 'libc', path: '' });
      const call = { library: 'libc', funcName: 'getpid', retType: DataType.I32, paramsType: [], paramsValue: [] };
      expect(load(call)).toBe(process.pid);
      expect(process.report).toBe(before);
      expect(process.report?.getReport()).toHaveProperty('javascriptStack');
    },
  );
});
