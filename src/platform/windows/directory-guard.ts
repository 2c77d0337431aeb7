import { statSync } from 'node:fs';
import { win32 as windowsPath } from 'node:path';
import type { DirectoryFault, DirectoryGuard } from '../platform.ts';
import { type Win32, Win32Error } from './ffi-call.ts';
import { findForeignWriters, parseOwner } from './sddl.ts';
import { makeOwnDirectory, readFileSecurity, readOwnSpellings } from './security.ts';

/** Makes directories that are this user's alone, and tells of others whose they are. */
export function createDirectoryGuard(win32: Win32): DirectoryGuard {
  let user: ReadonlySet<string> | undefined;
  /** Directories that were found well, as they were then. */
  const checked = new Map<string, string>();

  function findFault(path: string): DirectoryFault | undefined {
    user ??= readOwnSpellings(win32);
    const security = readFileSecurity(win32, windowsPath.toNamespacedPath(path));
    const owner = parseOwner(security);
    if (owner === undefined || !isTrustedOwner(owner, user)) {
      return { why: `belongs to another user (${owner ?? 'unknown'})`, hint: undefined };
    }
    const writers = findForeignWriters(security, user);
    if (writers.length === 0) return undefined;
    const names = writers.map((sid) => WELL_KNOWN.get(sid) ?? sid).join(', ');
    return {
      why: `can be written to by other users (${names})`,
      hint: `icacls "${path}" /inheritance:r /grant:r "%USERNAME%:(OI)(CI)F"`,
    };
  }

  return {
    make(path) {
      try {
        return makeOwnDirectory(win32, windowsPath.toNamespacedPath(path));
      } catch (error) {
        throw toSystemError(error);
      }
    },
    findFault(path) {
      try {
        const version = versionOf(path);
        if (checked.get(path) === version) return undefined;
        const fault = findFault(path);
        if (fault === undefined) checked.set(path, version);
        return fault;
      } catch (error) {
        if (!(error instanceof Win32Error)) throw error;
        return { why: `does not tell who may write to it (${error.message})`, hint: undefined };
      }
    },
  };
}

/** What an elevated program makes belongs to the administrators. */
const TRUSTED_OWNERS: ReadonlySet<string> = new Set(['BA', 'S-1-5-32-544', 'SY', 'S-1-5-18']);

/** SIDs that people know by name ("SID Strings"). */
const WELL_KNOWN: ReadonlyMap<string, string> = new Map([
  ['WD', 'Everyone'],
  ['S-1-1-0', 'Everyone'],
  ['BU', 'Users'],
  ['AU', 'Authenticated Users'],
  ['BG', 'Guests'],
  ['IU', 'Interactive'],
]);

function isTrustedOwner(owner: string, user: ReadonlySet<string>): boolean {
  return user.has(owner) || TRUSTED_OWNERS.has(owner);
}

/** Changes with the access list: NTFS counts it among the changes of a file. */
function versionOf(path: string): string {
  const { dev, ino, ctimeNs } = statSync(path, { bigint: true });
  return `${dev}:${ino}:${ctimeNs}`;
}

/** As Node itself would report it, so that callers need not know of either. */
function toSystemError(error: unknown): unknown {
  if (!(error instanceof Win32Error)) return error;
  const known = ERRORS.get(error.code);
  if (known === undefined) return error;
  const [code, errno] = known;
  return Object.assign(new Error(`${code}: ${error.message}`, { cause: error }), { code, errno });
}

/** System error codes, and what libuv makes of them (uv-errno.h). */
const ERRORS: ReadonlyMap<number, readonly [code: string, errno: number]> = new Map([
  [2, ['ENOENT', -4058]],
  [3, ['ENOENT', -4058]],
  [5, ['EPERM', -4048]],
  [19, ['EROFS', -4043]],
  [112, ['ENOSPC', -4055]],
  [123, ['ENOENT', -4058]],
  [206, ['ENAMETOOLONG', -4064]],
]);
