import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDirectoryGuard } from '../../../src/platform/windows/directory-guard.ts';
import type { Win32, Win32Answer } from '../../../src/platform/windows/ffi-call.ts';
import { ownerOnlySddl } from '../../../src/platform/windows/sddl.ts';
import { abbreviateSids } from '../../helpers/fake-windows.ts';

const USER = 'S-1-5-21-1-2-3-1001';
const OTHER = 'S-1-5-21-1-2-3-1002';

/** Plays the calls on security: addresses of texts are numbers of a list. */
function createSecurity(sddl: () => string, { makeError = 0, user = USER } = {}) {
  const texts: string[] = [];
  const calls: string[] = [];
  const keep = (text: string, into: unknown): number => {
    (into as Buffer).writeBigInt64LE(BigInt(texts.push(text)));
    return 1;
  };
  const answers: Record<string, (...args: unknown[]) => number | Win32Answer> = {
    OpenProcessToken: () => 1,
    CloseHandle: () => 1,
    GetTokenInformation: () => 1,
    ConvertSidToStringSidW: (_sid, out) => keep(user, out),
    ConvertStringSecurityDescriptorToSecurityDescriptorW: (text, _revision, out) => keep(String(text), out),
    GetNamedSecurityInfoW: (...args) => keep(sddl(), args.at(-1)) - 1,
    ConvertSecurityDescriptorToStringSecurityDescriptorW: (at, _revision, _what, out) =>
      keep(abbreviateSids(texts[Number(at) - 1] ?? ''), out),
    LocalFree: () => 0,
    CreateDirectoryW: () => (makeError === 0 ? 1 : { value: 0, error: makeError }),
    lstrlenW: (at) => (texts[Number(at) - 1] ?? '').length,
    memcpy: (into, at) => (into as Buffer).write(texts[Number(at) - 1] ?? '', 'utf16le'),
    RtlMoveMemory: (into, at) => (into as Buffer).write(texts[Number(at) - 1] ?? '', 'utf16le'),
  };
  const call: Win32['call'] = (_library, name, _result, ...args) => {
    calls.push(name);
    const answer = answers[name];
    if (answer === undefined) throw new Error(`the fake has no ${name}`);
    const result = answer(...args.map(({ value }) => value));
    return typeof result === 'number' ? { value: result, error: 0 } : result;
  };
  const win32: Win32 = {
    call,
    callInThread: async (...a) => call(...a),
    status: () => ({ type: 'available' }),
    count: 0,
  };
  return { win32, calls };
}

function makeScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'agentmux-guard-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  return scratch;
}

describe('a directory of Windows', () => {
  it.each([
    ['ours', `O:${USER}D:P(A;OICI;FA;;;${USER})(A;OICI;FA;;;SY)`, undefined],
    ['made by our elevated programs', `O:BAD:(A;;FA;;;${USER})(A;;FA;;;BA)`, undefined],
    ['read by others', `O:${USER}D:(A;;FA;;;${USER})(A;;0x1200a9;;;BU)`, undefined],
    ["another user's", `O:${OTHER}D:(A;;FA;;;${USER})`, `belongs to another user (${OTHER})`],
    ['without an owner', 'D:(A;;FA;;;SY)', 'belongs to another user (unknown)'],
    ['written by everyone', `O:${USER}D:(A;;FA;;;WD)`, 'can be written to by other users (Everyone)'],
    ['written by one other', `O:${USER}D:(A;;FW;;;${OTHER})`, `can be written to by other users (${OTHER})`],
  ])('that is %s: %s', (_, sddl, why) => {
    const { win32 } = createSecurity(() => sddl);
    expect(createDirectoryGuard(win32).findFault(makeScratch())?.why).toBe(why);
  });

  it.each([
    ["the machine's first administrator", 'S-1-5-21-1-2-3-500'],
    ['the system', 'S-1-5-18'],
    ['the network service', 'S-1-5-20'],
    ['the local service', 'S-1-5-19'],
  ])('is ours, and ours alone, also as %s', (_, user) => {
    const faultOf = (sddl: string) =>
      createDirectoryGuard(createSecurity(() => sddl, { user }).win32).findFault(scratch);
    const scratch = makeScratch();
    expect(faultOf(ownerOnlySddl(user, 'directory'))).toBeUndefined();
    const guest = `O:${user}D:P(A;;FA;;;${user})(A;;FA;;;S-1-5-21-1-2-3-501)`;
    expect(faultOf(guest)?.why).toBe('can be written to by other users (LG)');
    expect(faultOf(`O:LGD:P(A;;FA;;;${user})`)?.why).toBe('belongs to another user (LG)');
  });

  it('is looked at again only when it has changed', () => {
    const directory = makeScratch();
    let sddl = `O:${USER}D:P(A;;FA;;;${USER})`;
    const { win32, calls } = createSecurity(() => sddl);
    const guard = createDirectoryGuard(win32);
    const looks = () => calls.filter((name) => name === 'GetNamedSecurityInfoW').length;
    for (let time = 0; time < 3; time += 1) expect(guard.findFault(directory)).toBeUndefined();
    expect(looks()).toBe(1);
    sddl = `O:${USER}D:(A;;FA;;;WD)`;
    mkdirSync(join(directory, 'x'));
    for (let time = 0; time < 2; time += 1) expect(guard.findFault(directory)).toBeDefined();
    expect(looks()).toBe(3);
  });

  it.each([
    [5, 'EPERM'],
    [3, 'ENOENT'],
    [112, 'ENOSPC'],
  ])('that cannot be made (%d) fails as any file would (%s)', (error, code) => {
    const { win32 } = createSecurity(() => '', { makeError: error });
    expect(() => createDirectoryGuard(win32).make('C:\\x')).toThrow(
      expect.objectContaining({ code, errno: expect.any(Number) }),
    );
  });

  it('that is there already is not made', () => {
    expect(createDirectoryGuard(createSecurity(() => '', { makeError: 183 }).win32).make('C:\\x')).toBe(false);
    expect(createDirectoryGuard(createSecurity(() => '').win32).make('C:\\x')).toBe(true);
  });
});
