import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connectDbus, type DbusConnection, type DbusRequest } from './dbus.ts';
import type { DbusValue } from './dbus-wire.ts';

/** Which unit a group belongs to, by its path. */
export type UnitPlace =
  /** A service or scope of a user's manager, or that manager itself. */
  | { readonly type: 'user-unit'; readonly uid: number; readonly unit: string }
  /** A login session: what an ssh login or `su -l` starts in. */
  | { readonly type: 'session'; readonly uid: number; readonly unit: string }
  /** A service or scope of the system manager. */
  | { readonly type: 'system-unit'; readonly unit: string }
  /** No unit: the root group, a group that somebody made by hand, a container. */
  | { readonly type: 'none' };

/** The unit that the group at `path` (a `0::` path) belongs to; the innermost unit of the manager that owns it. */
export function parseUnitPlace(path: string): UnitPlace {
  const user = /\/user-(\d+)\.slice\/user@\1\.service(?:\/(.*))?$/.exec(path);
  if (user?.[1] !== undefined) {
    return { type: 'user-unit', uid: Number(user[1]), unit: firstUnit(user[2] ?? '') ?? `user@${user[1]}.service` };
  }
  const session = /\/user-(\d+)\.slice\/(session-[^/]+\.scope)(?:\/|$)/.exec(path);
  if (session?.[1] !== undefined && session[2] !== undefined) {
    return { type: 'session', uid: Number(session[1]), unit: session[2] };
  }
  const unit = firstUnit(path);
  return unit === undefined ? { type: 'none' } : { type: 'system-unit', unit };
}

/** True on a host whose PID 1 is systemd, sd_booted(3). */
export function isSystemdHost(root = '/'): boolean {
  return existsSync(join(root, 'run/systemd/system'));
}

/** True if the user's manager outlives the last logout, loginctl(1) enable-linger. */
export function lingers(user: string, root = '/'): boolean {
  return user !== '' && !user.includes('/') && existsSync(join(root, 'var/lib/systemd/linger', user));
}

/** Where the user's manager listens. */
export interface ManagerSocket {
  readonly path: string;
  readonly isBus: boolean;
}

/**
 * Socket of the user's manager: its private one, else the user's bus; below `$XDG_RUNTIME_DIR`, else `/run/user/UID`.
 * Only what belongs to us is taken. Undefined if there is none.
 */
export function findManagerSocket(
  runtimeDir: string | undefined,
  uid: number,
  runUser = '/run/user',
): ManagerSocket | undefined {
  const directories = [runtimeDir, join(runUser, String(uid))].filter((one) => one?.startsWith('/'));
  for (const [name, isBus] of [
    ['systemd/private', false],
    ['bus', true],
  ] as const) {
    for (const directory of directories) {
      const path = join(String(directory), name);
      if (isOwnSocket(path, uid)) return { path, isBus };
    }
  }
  return undefined;
}

export interface ScopeRequest {
  readonly name: string;
  readonly description: string;
  readonly slice: string;
  /** Processes to move in; only these move, not their children. */
  readonly pids: readonly number[];
}

/** The user's manager, reached without any helper program. */
export interface UserManager {
  /**
   * Asks for a scope of its own for the processes. The answer comes before the move: watch the process's group.
   * Rejects with DbusError (`org.freedesktop.systemd1.UnitExists` …) or Error.
   */
  startScope(request: ScopeRequest): Promise<void>;
  /** Asks to move processes into the top group of a delegated unit that runs. */
  attachProcesses(unit: string, pids: readonly number[]): Promise<void>;
  close(): void;
}

/** Connects to the user's manager. Rejects with Error within `timeoutMs` if nobody answers. */
export async function connectManager(socket: ManagerSocket, uid: number, timeoutMs = 1000): Promise<UserManager> {
  const connection = await connectDbus(socket.path, { uid, isBus: socket.isBus, timeoutMs });
  return {
    startScope: (request) => callManager(connection, 'StartTransientUnit', scopeArguments(request)),
    attachProcesses: (unit, pids) =>
      callManager(connection, 'AttachProcessesToUnit', [string(unit), string(''), uint32s(pids)]),
    close: () => connection.close(),
  };
}

/**
 * Arguments of StartTransientUnit, org.freedesktop.systemd1(5). Delegate: the subtree is ours, and one OOM kill does not
 * end the scope. CollectMode: a failed scope does not block its name. The description never holds a command line, since
 * it goes to the journal.
 */
export function scopeArguments(request: ScopeRequest): DbusValue[] {
  return [
    string(request.name),
    string('fail'),
    {
      type: 'a',
      element: '(sv)',
      value: [
        property('Description', string(request.description)),
        property('Slice', string(request.slice)),
        property('PIDs', uint32s(request.pids)),
        property('Delegate', { type: 'b', value: true }),
        property('CollectMode', string('inactive-or-failed')),
        property('TimeoutStopUSec', { type: 't', value: 10_000_000n }),
      ],
    },
    { type: 'a', element: '(sa(sv))', value: [] },
  ];
}

function firstUnit(path: string): string | undefined {
  return path.split('/').find((part) => /\.(service|scope)$/.test(part));
}

function isOwnSocket(path: string, uid: number): boolean {
  try {
    const stat = statSync(path);
    return stat.isSocket() && stat.uid === uid;
  } catch {
    return false;
  }
}

async function callManager(connection: DbusConnection, member: string, body: readonly DbusValue[]): Promise<void> {
  const request: DbusRequest = {
    destination: 'org.freedesktop.systemd1',
    path: '/org/freedesktop/systemd1',
    interface: 'org.freedesktop.systemd1.Manager',
    member,
    body,
  };
  await connection.call(request);
}

function property(name: string, value: DbusValue): DbusValue {
  return { type: 'struct', value: [string(name), { type: 'v', value }] };
}

function string(value: string): DbusValue {
  return { type: 's', value };
}

function uint32s(values: readonly number[]): DbusValue {
  return { type: 'a', element: 'u', value: values.map((value) => ({ type: 'u', value })) };
}
