import { describe, expect, it } from 'vitest';
import { LaunchError } from '../../../src/errors.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { type Agent, EnclosureError, type Program, type StartRequest } from '../../../src/platform/starter.ts';
import type { Win32Argument } from '../../../src/platform/windows/ffi-call.ts';
import { createWindowsStarter } from '../../../src/platform/windows/windows-starter.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { FakeWindows } from './fake-windows.ts';

const NO_WINDOW = 0x8000000;
const SUSPENDED = 0x4;
const JOB_LIST = 0x2000d;
const HANDLE = 0x500;

const bufferOf = (argument: Win32Argument | undefined) => {
  if (!(argument?.value instanceof Uint8Array)) throw new Error('no memory');
  return Buffer.from(argument.value.buffer, argument.value.byteOffset, argument.value.length);
};
const textOf = (argument: Win32Argument | undefined) => bufferOf(argument).toString('utf16le').replace(/\0.*$/s, '');

interface Created {
  readonly application: unknown;
  readonly line: string;
  readonly flags: number;
  readonly variables: Readonly<Record<string, string>>;
}

/** A Windows with a console, or without one, where programs can be started; with `jobError` none in a job. */
function makeWindows({ hasConsole = true, error = 0, jobError = 0, exitCode = 0 } = {}) {
  const fake = new FakeWindows([]);
  const variables: Record<string, string> = { Own: 'mine' };
  const created: Created[] = [];
  const terminated: number[] = [];
  const modes: number[] = [];
  let hasJob = false;
  const ok = (value = 1) => ({ value, error: 0 });
  const calls: Record<string, (...args: readonly Win32Argument[]) => { value: number; error: number }> = {
    GetConsoleProcessList: () => ok(hasConsole ? 2 : 0),
    GetStdHandle: (number) => ok(Number(number?.value) % 16),
    GetConsoleMode: (_handle, mode) => {
      bufferOf(mode).writeUInt32LE(0x1f7, 0);
      return hasConsole ? ok() : { value: 0, error: 6 };
    },
    SetConsoleMode: (_handle, mode) => {
      modes.push(Number(mode?.value));
      return ok();
    },
    GetEnvironmentVariableW: (name, into) => {
      const value = variables[textOf(name)];
      if (value === undefined) return { value: 0, error: 203 };
      bufferOf(into).write(value, 'utf16le');
      return ok(value.length);
    },
    SetEnvironmentVariableW: (name, value) => {
      if (value?.type === 'I64') delete variables[textOf(name)];
      else variables[textOf(name)] = textOf(value);
      return ok();
    },
    DuplicateHandle: (_from, _handle, _to, into) => {
      bufferOf(into).writeBigInt64LE(0x70n, 0);
      return ok();
    },
    InitializeProcThreadAttributeList: (_list, _count, _flags, size) => {
      bufferOf(size).writeBigInt64LE(64n, 0);
      return ok();
    },
    UpdateProcThreadAttribute: (_list, _flags, attribute) => {
      hasJob ||= attribute?.value === JOB_LIST;
      return ok();
    },
    DeleteProcThreadAttributeList: () => {
      hasJob = false;
      return ok(0);
    },
    memcpy: () => ok(0x9000),
    CreateProcessW: (application, line, _a, _b, _inherit, flags, _env, _cwd, _startup, info) => {
      if (error !== 0) return { value: 0, error };
      if (jobError !== 0 && hasJob) return { value: 0, error: jobError };
      const about = { application: application?.value, line: textOf(line), flags: Number(flags?.value) };
      created.push({ ...about, variables: { ...variables } });
      bufferOf(info).writeBigInt64LE(BigInt(HANDLE), 0);
      bufferOf(info).writeUInt32LE(4711, 16);
      return ok();
    },
    CloseHandle: () => ok(),
    GetProcessTimes: (_handle, at) => {
      bufferOf(at).writeBigUInt64LE(116_444_736_000_000_000n + 50n, 0);
      return ok();
    },
    CreateEventW: () => ok(0x80),
    SetEvent: () => ok(),
    WaitForMultipleObjects: () => ok(0),
    GetExitCodeProcess: (_handle, code) => {
      bufferOf(code).writeUInt32LE(exitCode, 0);
      return ok();
    },
    TerminateProcess: (handle, code) => {
      expect(handle?.value).toBe(HANDLE);
      terminated.push(Number(code?.value));
      return ok();
    },
  };
  for (const [name, answer] of Object.entries(calls)) fake.overrides.set(name, answer);
  return { starter: createWindowsStarter(fake), fake, variables, created, terminated, modes };
}

const program: Program = { file: Buffer.from('C:\\p.exe'), before: [], kind: 'program', env: { SHIM: '1' }, notes: [] };
const platform = { host: () => ({ machineId: 'm', bootId: '', pidNamespace: '' }) } as Partial<Platform> as Platform;
const request: StartRequest = {
  handover: { argv: [], environment: [], fds: [], openFiles: undefined },
  program,
  argv: [Buffer.from('p'), Buffer.from('a b')],
  added: { AGENTMUX_TAG: 't' },
  nohup: false,
  spawnInside: (spawn) => spawn({ job: 0x60 }),
  platform,
  own: new Set(),
};
const ending = { platform, ownPid: 1, status: { type: 'code', code: 0 } } as const;

describe('the start of an agent on Windows', () => {
  it('hands over our console and our environment, with variables that are ours no more afterwards', async () => {
    const { starter, created, variables } = makeWindows();
    const agent = await starter.start(request);
    const own = { Own: 'mine', SHIM: '1', AGENTMUX_TAG: 't' };
    expect(created).toMatchObject([{ application: 'C:\\p.exe', line: '"p" "a b"', variables: own }]);
    expect((created[0]?.flags ?? 0) & NO_WINDOW).toBe(0);
    expect(variables).toEqual({ Own: 'mine' });
    expect(agent.identity).toEqual({ pid: 4711, startTicks: 5, bootId: '', pidNamespace: '' });
    expect(request.own.has(4711)).toBe(true);
  });

  it('opens no window where we have no console', async () => {
    const { starter, created } = makeWindows({ hasConsole: false });
    await starter.start(request);
    expect((created[0]?.flags ?? 0) & NO_WINDOW).toBe(NO_WINDOW);
  });

  it.each([0, 1, 256, 259, 0xc0000005])('comes to its exit code %i, all 32 bits of it', async (exitCode) => {
    const agent = await makeWindows({ exitCode }).starter.start(request);
    expect(await agent.exited).toEqual({ type: 'code', code: exitCode });
  });

  it.each([
    [2, 127, /not there any more/],
    [5, 126, /the system refused/],
    [193, 126, /no program for this Windows/],
    [740, 126, /administrator/],
    [4551, 126, /CreateProcessW: error 4551/],
  ])('fails with error %i of the system as %i', async (error, exitCode, message) => {
    const failure = await makeWindows({ error })
      .starter.start(request)
      .catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(LaunchError);
    expect(failure).toMatchObject({ exitCode, message: expect.stringMatching(message) });
  });

  it('says that a path is too long where the system finds nothing by it', async () => {
    const file = Buffer.from(`C:\\${'d'.repeat(253)}.exe`);
    const start = (error: number) =>
      makeWindows({ error })
        .starter.start({ ...request, program: { ...program, file } })
        .catch((reason) => reason);
    const tooLong = { exitCode: 126, message: expect.stringContaining('its path of 260 characters is longer') };
    expect([await start(2), await start(3)]).toEqual([2, 3].map(() => expect.objectContaining(tooLong)));
    expect(await start(5)).toMatchObject({ message: expect.stringContaining('the system refused') });
  });

  it('fails with that of the job where the program can be started, which never runs then', async () => {
    const { starter, created, terminated, variables } = makeWindows({ jobError: 5 });
    const failure = await starter.start(request).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(EnclosureError);
    expect(failure).toMatchObject({ message: 'CreateProcessW: error 5' });
    expect(created.map(({ flags }) => flags & SUSPENDED)).toEqual([SUSPENDED]);
    expect(terminated).toEqual([137]);
    expect(variables).toEqual({ Own: 'mine' });
  });

  it('starts the program once where there is no job', async () => {
    const { starter, created } = makeWindows({ jobError: 5 });
    await starter.start({ ...request, spawnInside: (spawn) => spawn() });
    expect(created.map(({ flags }) => flags & SUSPENDED)).toEqual([0]);
  });

  it.each([
    ['GetProcessTimes', /p\.exe" was started, but cannot be watched, and was ended again: GetProcessTimes: error 6$/],
    ['CreateEventW', /p\.exe" was started, but .*: CreateEventW: error 6$/],
  ])('ends the agent again where %s fails', async (name, message) => {
    const { starter, fake, created, terminated } = makeWindows();
    fake.overrides.set(name, () => ({ value: 0, error: 6 }));
    const closed: unknown[] = [];
    fake.overrides.set('CloseHandle', (handle) => {
      closed.push(handle?.value);
      return { value: 1, error: 0 };
    });
    const failure = await starter.start(request).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(LaunchError);
    expect(failure).toMatchObject({ exitCode: 125, message: expect.stringMatching(message) });
    expect(created).toHaveLength(1);
    expect(terminated).toEqual([137]);
    expect(closed.filter((handle) => handle === HANDLE)).toHaveLength(1);
  });

  it('goes on with the agent where a variable of ours cannot be given back', async () => {
    const { starter, fake, variables, terminated } = makeWindows();
    const set = fake.overrides.get('SetEnvironmentVariableW');
    variables['SHIM'] = '0';
    fake.overrides.set('SetEnvironmentVariableW', (name, value) =>
      value?.type !== 'I64' && textOf(value) === '0' ? { value: 0, error: 8 } : set?.(name ?? value, value),
    );
    expect((await starter.start(request)).identity.pid).toBe(4711);
    expect(terminated).toEqual([]);
  });

  it('takes back its variables where nothing was started', async () => {
    const { starter, variables } = makeWindows({ error: 5 });
    await expect(starter.start(request)).rejects.toThrow();
    expect(variables).toEqual({ Own: 'mine' });
  });
});

describe('an agent on Windows', () => {
  /** One that has not ended: nobody answers the wait. */
  async function running(): Promise<{ agent: Agent; terminated: number[] }> {
    const { starter, fake, terminated } = makeWindows();
    const wait = fake.callInThread.bind(fake);
    fake.callInThread = (library, name, ...rest) =>
      name === 'WaitForMultipleObjects' ? new Promise(() => undefined) : wait(library, name, ...rest);
    return { agent: await starter.start(request), terminated };
  }

  it('is told nothing, only ended', async () => {
    const { agent, terminated } = await running();
    expect(['SIGINT', 'SIGTERM', 'SIGHUP'].map((one) => agent.signal(one as NodeJS.Signals))).not.toContain(true);
    expect(terminated).toEqual([]);
    expect(agent.signal('SIGKILL')).toBe(true);
    expect(terminated).toEqual([137]);
  });

  it('is not ended again when it has ended', async () => {
    const { starter, terminated } = makeWindows();
    const agent = await starter.start(request);
    await waitFor('its end', () => agent.status !== undefined);
    expect(agent.signal('SIGKILL')).toBe(true);
    expect(terminated).toEqual([]);
  });
});

describe('the console', () => {
  it('gets its modes back from us where the agent could not give them back', () => {
    const { starter, modes } = makeWindows();
    const leave = (code: number, isForced: boolean) =>
      starter.leave({ type: 'code', code }, { ...ending, status: { type: 'code', code }, isForced });
    expect(leave(3, false)).toBe(3);
    expect(modes).toEqual([]);
    expect(leave(0xc0000005, false)).toBe(0xc0000005);
    expect(modes).toEqual([0x1f7, 0x1f7, 0x1f7]);
    leave(124, true);
    expect(modes).toHaveLength(6);
  });

  it('brings Ctrl-C to both, and where there is none nobody is told for it', () => {
    const agent = {} as Agent;
    expect(makeWindows().starter.sharesInterrupt(platform, 1, agent)).toBe(true);
    expect(makeWindows({ hasConsole: false }).starter.sharesInterrupt(platform, 1, agent)).toBe(false);
    expect(makeWindows().starter.canSignal).toBe(false);
  });
});

describe('the handover on Windows', () => {
  const ask = (more: object) => () =>
    makeWindows().starter.readHandover({ operands: ['p'], passFds: [], nohup: false, env: {}, ...more });

  it.each([
    ['--nohup', { nohup: true }],
    ['--pass-fd', { passFds: [3] }],
  ])('refuses %s', (option, more) => {
    expect(ask(more)).toThrow(new RegExp(`${option} means nothing on Windows`));
    expect(ask(more)).toThrow(expect.objectContaining({ exitCode: 125 }));
  });
});
