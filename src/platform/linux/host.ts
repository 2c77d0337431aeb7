import { hostname } from 'node:os';
import type { HostIdentity } from '../../model/identity.ts';
import { parseNamespaceInode, readLink } from './links.ts';
import { readSmall } from './read-small.ts';

/** This machine, boot and pid namespace. The paths of the machine id are in the order in which they are asked. */
export function readHost(
  procRoot: string,
  machineIdPaths: readonly string[] = ['/etc/machine-id', '/var/lib/dbus/machine-id'],
): HostIdentity {
  return {
    machineId: readMachineId(machineIdPaths),
    bootId: readSmall(`${procRoot}/sys/kernel/random/boot_id`)?.toString('latin1').trim() ?? '',
    pidNamespace: parseNamespaceInode(readLink(`${procRoot}/self/ns/pid`) ?? '') ?? '',
  };
}

/** Parses machine-id(5): 32 hexadecimal digits; undefined for an empty file or the word `uninitialized`. */
export function parseMachineId(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1').trim();
  return /^[0-9a-f]{32}$/.test(text) && !/^0+$/.test(text) ? text : undefined;
}

function readMachineId(paths: readonly string[]): string {
  for (const path of paths) {
    const bytes = readSmall(path);
    const id = bytes && parseMachineId(bytes);
    if (id !== undefined) return id;
  }
  return machineIdOfName(hostname());
}

/** Containers often have no machine id, but a host name that is their own and stays. */
function machineIdOfName(name: string): string {
  // Loaded here alone: node:crypto costs a start 5 %.
  return process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(`agentmux-host:${name}`)
    .digest('hex')
    .slice(0, 32);
}
