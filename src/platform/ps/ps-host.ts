import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { HostIdentity } from '../../model/identity.ts';
import { ProgramError, type RunProgram } from './run-program.ts';

/** This machine and boot, as far as files and sysctl(8) tell; there are no pid namespaces here. */
export function readPsHost(system: NodeJS.Platform, run: RunProgram): HostIdentity {
  return { machineId: readMachineId(system, run), bootId: readBootId(system, run), pidNamespace: '' };
}

/** Parses the line `"IOPlatformUUID" = "…"` of ioreg(8). */
export function parsePlatformUuid(text: string): string | undefined {
  return /^[ |]*"IOPlatformUUID" = "([0-9A-Fa-f-]{8,64})"$/m.exec(text)?.[1]?.toLowerCase();
}

/** Parses one value of sysctl(8), a UUID or another word; undefined for an empty or unset one. */
export function parseSysctlId(text: string): string | undefined {
  const value = text.trim().toLowerCase();
  return /^[0-9a-z-]{8,64}$/.test(value) && !/^[0-]+$/.test(value) ? value : undefined;
}

function readMachineId(system: NodeJS.Platform, run: RunProgram): string {
  const id =
    system === 'darwin'
      ? parsePlatformUuid(tryRun(run, 'ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']))
      : (readId('/etc/machine-id') ??
        readId('/var/lib/dbus/machine-id') ??
        parseSysctlId(tryRun(run, 'sysctl', ['-n', 'kern.hostuuid'])));
  return id ?? `host:${hostname()}`;
}

/** A start time counts from 1970, so that an unknown boot only makes identities less sure. */
function readBootId(system: NodeJS.Platform, run: RunProgram): string {
  if (system === 'linux' || system === 'android') return readId('/proc/sys/kernel/random/boot_id') ?? '';
  const name = system === 'darwin' ? 'kern.bootsessionuuid' : 'kern.boot_id';
  return parseSysctlId(tryRun(run, 'sysctl', ['-n', name])) ?? '';
}

function tryRun(run: RunProgram, file: string, args: readonly string[]): string {
  try {
    const { text, status } = run(file, args);
    return status === 0 ? text : '';
  } catch (error) {
    if (error instanceof ProgramError) return '';
    throw error;
  }
}

function readId(path: string): string | undefined {
  try {
    return parseSysctlId(readFileSync(path, 'latin1'));
  } catch {
    return undefined;
  }
}
