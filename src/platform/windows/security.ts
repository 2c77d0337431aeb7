import { i32, memory, nullPointer, pointer, u32, type Win32, type Win32Answer, Win32Error, wide } from './ffi-call.ts';
import { currentProcess } from './handle-calls.ts';
import { freeLocal, readWide } from './memory-calls.ts';
import { closeHandle } from './process-calls.ts';
import { ownerOnlySddl, parseOwner } from './sddl.ts';

/** SECURITY_ATTRIBUTES for calls that make something; `close` frees what it points to. */
export interface SecurityAttributes {
  readonly bytes: Buffer;
  close(): void;
}

/** Access for this user alone. Throws Win32Error. */
export function ownerOnly(win32: Win32, kind: 'object' | 'directory'): SecurityAttributes {
  return securityAttributes(win32, ownerOnlySddl(readUserSid(win32), kind));
}

/** What a security descriptor in text says ("Security Descriptor String Format"). Throws Win32Error. */
export function securityAttributes(win32: Win32, sddl: string): SecurityAttributes {
  const out = Buffer.alloc(8);
  const name = 'ConvertStringSecurityDescriptorToSecurityDescriptorW';
  must(name, win32.call('advapi32', name, 'I32', wide(sddl), u32(SDDL_REVISION), memory(out), nullPointer));
  const descriptor = Number(out.readBigInt64LE(0));
  const bytes = Buffer.alloc(24);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeBigInt64LE(BigInt(descriptor), 8);
  return { bytes, close: () => freeLocal(win32, descriptor) };
}

/** SID of the user that this process runs as, e.g. `S-1-5-21-…-1001`. Throws Win32Error. */
export function readUserSid(win32: Win32): string {
  const token = Buffer.alloc(8);
  const args = [pointer(currentProcess), u32(TOKEN_QUERY), memory(token)] as const;
  must('OpenProcessToken', win32.call('advapi32', 'OpenProcessToken', 'I32', ...args));
  const handle = Number(token.readBigInt64LE(0));
  try {
    // TOKEN_USER: the address of the SID, which follows in the same buffer.
    const user = Buffer.alloc(256);
    const size = Buffer.alloc(4);
    const room = [memory(user), u32(user.length), memory(size)] as const;
    must(
      'GetTokenInformation',
      win32.call('advapi32', 'GetTokenInformation', 'I32', pointer(handle), i32(TOKEN_USER), ...room),
    );
    return sidText(win32, Number(user.readBigInt64LE(0)));
  } finally {
    closeHandle(win32, handle);
  }
}

/**
 * Our user as security descriptors in text may name it: by its SID, and by the two letters that Windows writes instead for
 * accounts that it knows, such as `LA` for the machine's first administrator and `NS` for the network service ("SID
 * Strings"). Throws Win32Error.
 */
export function readOwnSpellings(win32: Win32): ReadonlySet<string> {
  const sid = readUserSid(win32);
  const { bytes, close } = securityAttributes(win32, `O:${sid}`);
  try {
    const owner = parseOwner(descriptorText(win32, Number(bytes.readBigInt64LE(8)), OWNER));
    return new Set(owner === undefined ? [sid] : [sid, owner]);
  } finally {
    close();
  }
}

/** Owner and access list of a kernel object by a handle with READ_CONTROL, in text. Throws Win32Error. */
export function readObjectSecurity(win32: Win32, handle: number): string {
  return readSecurity(win32, 'GetSecurityInfo', pointer(handle), SE_KERNEL_OBJECT);
}

/** Owner and access list of a file or directory, in text. Throws Win32Error. */
export function readFileSecurity(win32: Win32, path: string): string {
  return readSecurity(win32, 'GetNamedSecurityInfoW', wide(path), SE_FILE_OBJECT);
}

/** Gives a file or directory to this user alone, whatever the directory above says. Throws Win32Error. */
export function protectFile(win32: Win32, path: string, kind: 'object' | 'directory'): void {
  const security = ownerOnly(win32, kind);
  try {
    const args = [wide(path), u32(DACL | PROTECTED_DACL), pointer(Number(security.bytes.readBigInt64LE(8)))] as const;
    must('SetFileSecurityW', win32.call('advapi32', 'SetFileSecurityW', 'I32', ...args));
  } finally {
    security.close();
  }
}

/** Makes a directory that is this user's alone; false if it is there already. Throws Win32Error. */
export function makeOwnDirectory(win32: Win32, path: string): boolean {
  const security = ownerOnly(win32, 'directory');
  try {
    const { value, error } = win32.call('kernel32', 'CreateDirectoryW', 'I32', wide(path), memory(security.bytes));
    if (value !== 0) return true;
    if (error === ERROR_ALREADY_EXISTS) return false;
    throw new Win32Error('CreateDirectoryW', error);
  } finally {
    security.close();
  }
}

const SDDL_REVISION = 1;
const TOKEN_QUERY = 0x8;
/** TOKEN_INFORMATION_CLASS. */
const TOKEN_USER = 1;
/** SE_OBJECT_TYPE. */
const SE_FILE_OBJECT = 1;
const SE_KERNEL_OBJECT = 6;
/** SECURITY_INFORMATION. */
const OWNER = 0x1;
const DACL = 0x4;
const PROTECTED_DACL = 0x8000_0000;
const ERROR_ALREADY_EXISTS = 183;

function readSecurity(
  win32: Win32,
  call: 'GetSecurityInfo' | 'GetNamedSecurityInfoW',
  subject: Parameters<Win32['call']>[3],
  type: number,
): string {
  const out = Buffer.alloc(8);
  const nothing = [nullPointer, nullPointer, nullPointer, nullPointer] as const;
  // These two answer with the error code itself.
  const { value } = win32.call('advapi32', call, 'U32', subject, i32(type), u32(OWNER | DACL), ...nothing, memory(out));
  if (value !== 0) throw new Win32Error(call, value);
  const descriptor = Number(out.readBigInt64LE(0));
  try {
    return descriptorText(win32, descriptor, OWNER | DACL);
  } finally {
    freeLocal(win32, descriptor);
  }
}

function descriptorText(win32: Win32, descriptor: number, what: number): string {
  const out = Buffer.alloc(8);
  const name = 'ConvertSecurityDescriptorToStringSecurityDescriptorW';
  const args = [pointer(descriptor), u32(SDDL_REVISION), u32(what), memory(out), nullPointer] as const;
  must(name, win32.call('advapi32', name, 'I32', ...args));
  return takeText(win32, out);
}

function sidText(win32: Win32, sid: number): string {
  const out = Buffer.alloc(8);
  must('ConvertSidToStringSidW', win32.call('advapi32', 'ConvertSidToStringSidW', 'I32', pointer(sid), memory(out)));
  return takeText(win32, out);
}

function takeText(win32: Win32, out: Buffer): string {
  const address = Number(out.readBigInt64LE(0));
  try {
    return readWide(win32, address);
  } finally {
    freeLocal(win32, address);
  }
}

function must(call: string, { value, error }: Win32Answer): void {
  if (value === 0) throw new Win32Error(call, error);
}
