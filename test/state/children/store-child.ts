import fs from 'node:fs';
import { openStore } from '../../../src/state/file-store.ts';
import { sampleRecord, sampleRun } from '../sample.ts';

const [, , command = '', directory = '', argument = ''] = process.argv;
const store = openStore({ directory, uid: process.getuid?.(), machineId: 'machine-a' });

/** A record whose parts agree only if it was written whole; sizes differ from write to write. */
function numbered(number: number) {
  const argv = Array.from({ length: 1 + (number % 50) * 20 }, () => `word-${number}`);
  return sampleRecord({ createdAtMs: number, runs: [sampleRun({ argv })] });
}

function say(line: string): void {
  fs.writeSync(1, `${line}\n`);
}

function waitForInput(): void {
  fs.readSync(0, Buffer.alloc(1));
}

/** A file system without hard links, as FAT is one. */
function refuseLinks(): void {
  fs.linkSync = () => {
    throw Object.assign(new Error('EPERM'), { code: 'EPERM', errno: -1 });
  };
}

function create(): void {
  if (argument === 'without-links') refuseLinks();
  say('ready');
  waitForInput();
  say(`created ${store.create(sampleRecord({ tag: `tag-${process.pid}` }))}`);
}

function writeMany(count: number): void {
  say('ready');
  for (let number = 1; number <= count; number++) store.write(numbered(number));
}

function recordMany(): void {
  say('ready');
  waitForInput();
  for (let ticks = 0; ticks < 200; ticks++) {
    store.record('claude-k3f9', [{ pid: process.pid, startTicks: ticks, bootId: 'boot' }], 'reader');
  }
}

function fill(): void {
  store.create(numbered(0));
  for (let number = 1; number < 10_000; number++) {
    const runs = [sampleRun({ argv: ['x'.repeat(number * 2000)] })];
    try {
      store.write(sampleRecord({ createdAtMs: number, runs }));
    } catch (error) {
      report(error, number);
      return;
    }
  }
}

function report(error: unknown, number: number): void {
  const { code, message } = error as { code?: string; message?: string };
  const listing = store.list();
  const names = fs.readdirSync(`${directory}/blocks`);
  const created = attempt(() =>
    store.create(sampleRecord({ id: 'next', runs: [sampleRun({ argv: ['y'.repeat(60_000)] })] })),
  );
  const namesAfter = fs.readdirSync(`${directory}/blocks`);
  const last = listing.blocks[0]?.createdAtMs === number - 1;
  say(`failed ${JSON.stringify({ code, message, last, unreadable: listing.unreadable, names, created, namesAfter })}`);
}

function attempt(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

function refuse(): void {
  try {
    store.create(sampleRecord());
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    say(`refused ${code} ${message}`);
  }
}

async function lock(): Promise<void> {
  await store.lock('claude-k3f9', 0);
  say('locked');
  if (argument === 'hold') process.stdin.resume();
}

const commands: Readonly<Record<string, () => void | Promise<void>>> = {
  create,
  write: () => writeMany(Number(argument)),
  record: recordMany,
  fill,
  refuse,
  lock,
};

void commands[command]?.();
