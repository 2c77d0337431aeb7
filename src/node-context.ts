import { userInfo } from 'node:os';
import type { Context } from './context.ts';
import { createNodeOutput } from './node-output.ts';
import { readLink } from './platform/linux/links.ts';
import type { Platform } from './platform/platform.ts';
import { selectPlatform } from './platform/select-platform.ts';
import { isUtf8Locale } from './render/locale.ts';
import { openStore } from './state/file-store.ts';
import { locateStateDirectory, type StatePlace } from './state/locate.ts';
import type { Store } from './state/store.ts';

/** The real world: the only reader of process.env and process.platform. Nothing is opened before it is used. */
export function createNodeContext(): Context {
  const { env } = process;
  const isWindows = process.platform === 'win32';
  const stdout = createNodeOutput(1, env, { isWindows });
  const stderr = createNodeOutput(2, env, { isWindows });
  let platform: Platform | undefined;
  let store: Store | undefined;
  let storeNote: string | undefined;
  return {
    env,
    stdout,
    stderr,
    get stdinIsTTY() {
      return process.getBuiltinModule('node:tty').isatty(0);
    },
    // Locales of that kind are unknown to Windows, where consoles take UTF-16 and files UTF-8.
    unicode: isWindows || isUtf8Locale(env),
    pid: process.pid,
    get cwd() {
      return readWorkingDirectory();
    },
    now: Date.now,
    get platform() {
      platform ??= selectPlatform(process.platform, {
        processTable: env['AGENTMUX_PROCESS_TABLE'],
        path: env['PATH'],
      });
      return platform;
    },
    get store() {
      if (store === undefined) {
        const { os, directories: guard } = this.platform;
        const place = locateStateDirectory({
          ...{ env, os, homedir: readHome, uid: readUid(), guard, temporary: TEMPORARY },
        });
        store = openNodeStore(place, this.platform);
        storeNote = place.note;
      }
      return store;
    },
    get storeNote() {
      return storeNote;
    },
    confirm: (question) => confirm(question),
    exitCode: 0,
  };
}

/** Of a directory that was removed, what the kernel calls it: `/path (deleted)` (proc(5), "/proc/pid/cwd"). */
function readWorkingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return readLink('/proc/self/cwd') ?? '';
  }
}

/** Not TMPDIR, which differs between the sessions of one user. */
const TEMPORARY = '/tmp';

function readUid(): number | undefined {
  return process.geteuid?.();
}

function openNodeStore({ directory }: StatePlace, platform: Platform): Store {
  const { machineId, pidNamespace } = platform.host();
  return openStore({
    directory,
    uid: readUid(),
    guard: platform.directories,
    machineId,
    isMemberAlive: (member) => platform.isAlive({ ...member, pidNamespace }),
  });
}

/** The home directory by the user database; it throws where the user is in none. */
function readHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { createInterface } = await import('node:readline/promises');
  const asker = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asker.question(`${question} [y/N] `)).trim());
  } finally {
    asker.close();
  }
}
