import { spawnSync } from 'node:child_process';
import { makeGroup } from './cgroup.ts';
import { type HostName, type HostSetup, hostSetups } from './namespace-setups.ts';
import { startProcess } from './processes.ts';
import { readTable } from './procfs.ts';
import { isRoot } from './skip.ts';
import { waitFor } from './wait-for.ts';

const flags = ['-m', '-p', '-f', '--mount-proc', '--kill-child', '--propagation', 'private'];

/** True if namespaces can be made here; else skip with `namespaceReason`. */
export const hasNamespaces = isRoot && spawnSync('unshare', [...flags, '-C', 'true']).status === 0;
export const namespaceReason = 'needs root, unshare(1) and the right to make namespaces';

/** A host of another make, as far as its processes can see. */
export interface Namespace {
  /**
   * Put before a command to run it there (`createRig({ prefix })`); its environment and working directory stay. Signals
   * to the pid that was started stay outside: send them from inside.
   */
  readonly prefix: readonly string[];
  /** The cgroup that its processes join, as seen from outside; undefined if they stay where the test is. */
  readonly group: string | undefined;
}

/**
 * Opens private mount, pid and (where the setup says so) cgroup namespaces, and arranges /sys/fs/cgroup and /proc in
 * them. Everything inside is ended when the test has finished, with its pid 1.
 */
export async function openNamespace(name: HostName): Promise<Namespace> {
  const setup: HostSetup = hostSetups[name];
  const group = setup.join === undefined ? undefined : makeGroup();
  const join = `set -e; GROUP='${group ?? ''}'; ${setup.join ?? ':'}; set +e`;
  const arrange = `set -e; ${setup.script}; echo ready; while read -r _; do :; done`;
  const ownGroup = setup.cgroupNamespace ? ['-C'] : [];
  const holder = startProcess(
    'bash',
    ['-c', `${join}; exec "$@"`, 'bash', 'unshare', ...flags, ...ownGroup, 'bash', '-c', arrange],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let told = '';
  for (const stream of [holder.child.stdout, holder.child.stderr]) {
    stream?.on('data', (chunk) => {
      told += chunk;
    });
  }
  await waitFor(`the namespace "${name}"`, () => {
    if (holder.child.exitCode !== null) throw new Error(`no namespace "${name}": ${told}`);
    return told.includes('ready');
  });
  const init = readTable().find((row) => row.ppid === holder.pid)?.pid;
  if (init === undefined) throw new Error('internal: unshare has no child');
  const enter = `nsenter -t ${init} -m -p ${ownGroup.join(' ')} -- bash -c 'cd -- "$0" && exec "$@"' "$PWD" "$@"`;
  return { prefix: ['bash', '-c', `${join}; exec ${enter}`, 'bash'], group };
}
