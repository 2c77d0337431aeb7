import { describe, expect, it } from 'vitest';
import { isInterop } from '../../src/annotate/interop.ts';

describe('isInterop', () => {
  it.each<[string | undefined, readonly string[] | undefined]>([
    ['/init', ['/init', '/mnt/c/Windows/System32/cmd.exe', 'cmd.exe', '/c', 'dir']],
    ['/init', ['/init', '/mnt/c/Program Files/nodejs/node.EXE', 'node.EXE']],
    [undefined, ['/init', '/mnt/c/x.exe']],
  ])('holds for %s %s', (exe, argv) => {
    expect(isInterop({ exe, argv })).toBe(true);
  });

  it.each<[string | undefined, readonly string[] | undefined]>([
    ['/init', ['/init']],
    ['/init', ['/init', 'systemd.unit=x.exe']],
    ['/usr/bin/wine', ['/init', '/home/max/x.exe']],
    ['/usr/lib/wine/wine64', ['C:\\x.exe']],
    ['/init', undefined],
    [undefined, undefined],
  ])('does not hold for %s %s', (exe, argv) => {
    expect(isInterop({ exe, argv })).toBe(false);
  });
});
