import { expect, it } from 'vitest';
import { createRig } from './cli.ts';
import { hasNamespaces, namespaceReason, openNamespace } from './namespace.ts';
import type { HostName } from './namespace-setups.ts';
import { describeIf } from './skip.ts';

describeIf(hasNamespaces, namespaceReason, 'a host of another make', () => {
  it.each<[HostName, string, RegExp]>([
    ['hybrid', 'stat -fc %T /sys/fs/cgroup /sys/fs/cgroup/unified', /^tmpfs\ncgroup2fs\n$/],
    ['unified', 'stat -fc %T /sys/fs/cgroup', /^cgroup2fs\n$/],
    ['pureV1', 'grep -c cgroup2 /proc/self/mountinfo; grep -c ^0:: /proc/self/cgroup', /^0\n1\n$/],
    ['readOnly', 'mkdir /sys/fs/cgroup/x 2>&1', /Read-only file system/],
    [
      'threaded',
      'grep ^0:: /proc/self/cgroup; cat /sys/fs/cgroup/$(grep ^0:: /proc/self/cgroup | cut -d: -f3)/cgroup.type',
      /\/threads\nthreaded\n$/,
    ],
    [
      'cgroupNamespace',
      'grep ^0:: /proc/self/cgroup; ls /sys/fs/cgroup/cgroup.kill',
      /^0::\/\n\/sys\/fs\/cgroup\/cgroup.kill\n$/,
    ],
    [
      'cgroupNamespaceOfHostMount',
      'grep ^0:: /proc/self/cgroup; grep cgroup2 /proc/self/mountinfo',
      /^0::\/\n.* \/\.\.[^ ]* \/sys/,
    ],
    [
      'hidepid',
      'grep -o hidepid=[a-z0-9]* /proc/self/mountinfo; ls -d /proc/1',
      /^hidepid=(2|invisible)\n\/proc\/1\n$/,
    ],
  ])('%s is what its name says', async (name, script, expected) => {
    const { prefix } = await openNamespace(name);
    const rig = createRig({ prefix });
    const { stdout } = await rig.command('bash', '-c', `pwd; ${script}; true`).stdout(/./).run();
    const [directory, ...rest] = stdout.split('\n');
    expect(directory).toBe(rig.workDirectory);
    expect(rest.join('\n')).toMatch(expected);
  });
});
