import { hostname } from 'node:os';
import type { HostIdentity } from '../../model/identity.ts';
import { memory, nullPointer, pointer, u32, type Win32, Win32Error, wide } from './ffi-call.ts';

/**
 * This machine. Start times on Windows are absolute, so that identities need no boot, and pids know no namespaces: both
 * are empty.
 */
export function readHost(win32: Win32): HostIdentity {
  return { machineId: parseMachineGuid(readMachineGuid(win32)) ?? machineIdOfName(), bootId: '', pidNamespace: '' };
}

/** 32 hexadecimal digits of a GUID; undefined if it is none. */
export function parseMachineGuid(text: string | undefined): string | undefined {
  const digits = text?.replaceAll('-', '').toLowerCase();
  return digits !== undefined && /^[0-9a-f]{32}$/.test(digits) && !/^0+$/.test(digits) ? digits : undefined;
}

/** HKEY_LOCAL_MACHINE (winreg.h): a handle, which is a LONG widened to 64 bits. */
const LOCAL_MACHINE = 0x80000002 - 2 ** 32;
/** RRF_RT_REG_SZ, and RRF_SUBKEY_WOW6464KEY, since the key is not there for 32 bits. */
const STRING_OF_64_BIT = 0x0001_0002;
const VALUE_BYTES = 256;

/** Made when Windows was installed. */
function readMachineGuid(win32: Win32): string | undefined {
  const value = Buffer.alloc(VALUE_BYTES);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(VALUE_BYTES);
  try {
    const { value: error } = win32.call(
      ...(['advapi32', 'RegGetValueW', 'U32', pointer(LOCAL_MACHINE)] as const),
      ...[wide('SOFTWARE\\Microsoft\\Cryptography'), wide('MachineGuid'), u32(STRING_OF_64_BIT)],
      ...[nullPointer, memory(value), memory(size)],
    );
    if (error !== 0) return undefined;
    return value.toString('utf16le', 0, Math.min(size.readUInt32LE(0), VALUE_BYTES)).replace(/\0.*$/s, '');
  } catch (error) {
    if (error instanceof Win32Error) return undefined;
    throw error;
  }
}

function machineIdOfName(): string {
  return process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(`agentmux-host:${hostname()}`)
    .digest('hex')
    .slice(0, 32);
}
