import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOwnGroup, parseMountinfo, parseOwnPath, resolveGroup } from '../../../src/platform/linux/cgroup-mount.ts';
import { findOwnGroup as findByTest } from '../../helpers/cgroup.ts';
import { itIf } from '../../helpers/skip.ts';

describe('parseOwnPath', () => {
  it('takes the line of the unified hierarchy, wherever it stands', () => {
    expect(parseOwnPath('9:name=systemd:/x\n0::/user.slice/a b\n4:memory:/m\n')).toBe('/user.slice/a b');
    expect(parseOwnPath('0::/\n')).toBe('/');
  });

  it('finds none on a host without cgroup v2', () => {
    expect(parseOwnPath('9:name=systemd:/\n4:memory:/0::/x\n')).toBeUndefined();
    expect(parseOwnPath('')).toBeUndefined();
  });

  it('leaves out that the group was removed', () => {
    expect(parseOwnPath('0::/gone (deleted)\n')).toBe('/gone');
  });
});

describe('parseMountinfo', () => {
  it('finds cgroup2 mounts by type, the one mounted last first, with optional fields or without', () => {
    const text = [
      '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
      '40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd',
      '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 master:2 - cgroup2 cgroup2 rw,nsdelegate',
      '50 31 0:38 /a/b /mnt/with\\040blank ro,relatime - cgroup2 cgroup2 rw',
      '51 31 0:39 / /mnt/frozen rw - cgroup2 cgroup2 ro',
    ].join('\n');
    expect(parseMountinfo(text)).toEqual([
      { mountPoint: '/mnt/frozen', root: '/', readOnly: true },
      { mountPoint: '/mnt/with blank', root: '/a/b', readOnly: true },
      { mountPoint: '/sys/fs/cgroup/unified', root: '/', readOnly: false },
    ]);
  });

  it('survives any text', () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseMountinfo(text))));
  });
});

describe('resolveGroup', () => {
  const mount = (root: string) => ({ mountPoint: '/cg', root, readOnly: false });

  it.each([
    ['/', '/', '/cg'],
    ['/', '/a/b', '/cg/a/b'],
    ['/a', '/a', '/cg'],
    ['/a', '/a/b', '/cg/b'],
    ['/a', '/ab', undefined],
    ['/a', '/', undefined],
    ['/..', '/', undefined],
    ['/', '/../x', undefined],
    ['/../..', '/a', undefined],
  ])('a mount of %s shows the group %s at %s', (root, path, directory) => {
    expect(resolveGroup(mount(root), path)).toBe(directory);
  });
});

describe('findOwnGroup', () => {
  const own = findByTest();
  const expected = own && resolve(own);
  itIf(expected !== undefined, 'no cgroup v2 is mounted', 'finds the group that this process is in', () => {
    expect(findOwnGroup()).toMatchObject({ status: 'found', directory: expected });
  });
});
