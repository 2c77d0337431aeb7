import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('the bed', () => {
  it('is Windows as far as Node can tell, and starts programs', () => {
    expect(process.platform).toBe('win32');
    const { status, stdout } = spawnSync('cmd.exe', ['/d', '/c', 'echo hello & exit 3'], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 3, stdout: 'hello \r\n' });
  });
});
