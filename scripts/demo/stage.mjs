// Where the demo plays: a state directory of its own, the bins as a user types them, and an eye that looks into /proc by
// itself instead of believing what it is told.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const bins = fileURLToPath(new URL('../../bin/', import.meta.url));
const commandLimitMs = 20_000;
const waitLimitMs = 15_000;

/** @returns the acts of the demo: say, show, check, start, read, until, remember, isAlive, close, finish */
export function openStage() {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'agentmux-demo-'));
  const { PATH, HOME, LANG, TERM, XDG_RUNTIME_DIR, AGENTMUX_TRACKER } = process.env;
  const env = { PATH, HOME, LANG, TERM, XDG_RUNTIME_DIR, AGENTMUX_TRACKER, AGENTMUX_STATE_DIR: stateDirectory };
  for (const name of Object.keys(env)) if (env[name] === undefined) delete env[name];
  const options = { cwd: here, env, timeout: commandLimitMs };
  const children = [];
  const remembered = new Map();
  const failures = [];
  let checks = 0;

  return {
    say: (text) => process.stdout.write(`\n${text}\n`),

    /** Runs a command before the reader's eyes; returns its status. */
    show(bin, ...args) {
      process.stdout.write(`  $ ${bin} ${args.join(' ')}\n`);
      // One file for both, as on a terminal: what is said first is shown first.
      const path = join(stateDirectory, 'shown');
      const shown = openSync(path, 'a');
      const stdio = ['ignore', shown, shown];
      const result = spawnSync(process.execPath, [`${bins}${bin}.js`, ...args], { ...options, stdio });
      closeSync(shown);
      process.stdout.write(readFileSync(path, 'utf8').replaceAll(/^(?=.)/gm, '  '));
      rmSync(path);
      return result.status;
    },

    check(promise, kept) {
      checks++;
      if (!kept) failures.push(promise);
      process.stdout.write(`  ${kept ? 'ok' : 'NOT SO'}: ${promise}\n`);
    },

    /** The JSON document of a listing. */
    read(...args) {
      const result = spawnSync(process.execPath, [`${bins}agentmux.js`, ...args], { ...options, encoding: 'utf8' });
      return JSON.parse(result.stdout);
    },

    start: (bin, ...args) => {
      process.stdout.write(`  $ ${bin} ${args.join(' ')} &\n`);
      const running = new Running(spawn(process.execPath, [`${bins}${bin}.js`, ...args], { cwd: here, env }));
      children.push(running);
      return running;
    },

    until: (condition) => until(condition),

    /** Keeps the identity of a row, so that whatever goes wrong nothing outlives the demo. */
    remember(row) {
      remembered.set(`${row.pid}:${row.startTicks}`, row);
      return row;
    },

    isAlive,

    async close() {
      for (const child of children) child.end();
      for (const row of remembered.values()) if (isAlive(row)) process.kill(row.pid, 'SIGKILL');
      rmSync(stateDirectory, { recursive: true, force: true });
    },

    finish() {
      process.stdout.write(`\n${checks - failures.length} of ${checks} promises kept\n`);
      for (const failure of failures) process.stdout.write(`not kept: ${failure}\n`);
      process.exitCode = failures.length === 0 ? 0 : 1;
    },
  };
}

class Running {
  constructor(child) {
    this.child = child;
    this.output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => this.take(chunk));
  }

  take(chunk) {
    this.output += chunk;
    process.stdout.write(String(chunk).replaceAll(/^(?=.)/gm, '  '));
  }

  isRunning() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async seen(text) {
    if (!(await until(() => this.output.includes(text)))) throw new Error(`never saw "${text}"`);
  }

  async ended() {
    await until(() => !this.isRunning());
  }

  end() {
    if (this.isRunning()) this.child.kill('SIGKILL');
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream.destroy();
  }
}

/** Polls a condition; false if it did not come true in time. */
async function until(condition) {
  for (const end = Date.now() + waitLimitMs; Date.now() < end; await delay(50)) if (condition()) return true;
  return false;
}

/** True if that very process lives, by proc_pid_stat(5): the state is field 3, the start time field 22. */
function isAlive({ pid, startTicks }) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[19]) === startTicks && !'ZX'.includes(fields[0]);
  } catch {
    return false;
  }
}
