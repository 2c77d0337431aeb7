import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createNative, native } from '../../../src/platform/linux/native.ts';
import { describeIf, itIf } from '../../helpers/skip.ts';

const status = native.status();

/** A directory that carries `user.delegate=1`; undefined without python3, or on a file system without attributes. */
const marked = markDirectory();
afterAll(() => {
  if (marked !== undefined) rmSync(marked, { recursive: true });
});

function markDirectory(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-test-'));
  const program = 'import os, sys; os.setxattr(sys.argv[1], "user.delegate", b"1")';
  if (spawnSync('python3', ['-c', program, directory]).status === 0) return directory;
  rmSync(directory, { recursive: true });
  return undefined;
}

describeIf(status.type === 'available', JSON.stringify(status), 'native calls', () => {
  itIf(marked !== undefined, 'needs python3 and extended attributes', 'read an extended attribute', () => {
    expect(native.getXattr(marked ?? '', 'user.delegate')).toBe('1');
  });

  it('find no attribute where there is none', () => {
    expect(native.getXattr(tmpdir(), 'user.delegate')).toBeUndefined();
    expect(native.getXattr(join(tmpdir(), 'agentmux-test-none'), 'user.delegate')).toBeUndefined();
  });

  it('do not reap what is no child', () => {
    expect(native.waitNoHang(process.ppid)).toBe(false);
  });
});

describe('without the native module', () => {
  const broken = createNative(() => {
    throw new Error("Cannot find module 'ffi-rs'\nRequire stack:\n- /somewhere");
  });

  it('every call answers as if it had been refused', () => {
    expect(broken.setSubreaper(true)).toBe(false);
    expect(broken.waitNoHang(4242)).toBe(false);
    expect(broken.getXattr('/', 'user.delegate')).toBeUndefined();
  });

  it('the status says why', () => {
    expect(broken.status()).toEqual({ type: 'unavailable', reason: "Cannot find module 'ffi-rs'" });
  });
});

it.each([0, -1, 1.5])('waiting for pid %d, which means others, is refused', (pid) => {
  expect(() => native.waitNoHang(pid)).toThrow('internal: refused to wait');
});
