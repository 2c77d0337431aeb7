import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type StoreOptions } from '../../src/state/file-store.ts';
import { serializeBlockRecord } from '../../src/state/serialize.ts';
import type { Store } from '../../src/state/store.ts';
import { isRoot, itIf } from '../helpers/skip.ts';
import { sampleRecord, sampleRun } from './sample.ts';

let home: string;
let directory: string;
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'agentmux-store-'));
  directory = path.join(home, '.local/state/agentmux');
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

function open(changes: Partial<StoreOptions> = {}): Store {
  return openStore({ directory, uid: process.getuid?.(), machineId: 'machine-a', ...changes });
}

function blockFile(name: string): string {
  return path.join(directory, 'blocks', name);
}

function failure(code: string) {
  return expect.objectContaining({ name: 'AgentmuxError', code });
}

describe('writing', () => {
  it('creates the directory 0700 and the file 0600 whatever the umask, and reads the record back', () => {
    const old = process.umask(0o277);
    try {
      expect(open().create(sampleRecord())).toBe(true);
    } finally {
      process.umask(old);
    }
    expect(open().read('claude-k3f9')).toEqual(sampleRecord());
    expect(modeOf(directory)).toBe('700');
    expect(modeOf(path.join(directory, 'blocks'))).toBe('700');
    expect(modeOf(blockFile('claude-k3f9.json'))).toBe('600');
  });

  it('creates an id once: the second create is false and changes nothing', () => {
    const store = open();
    expect(store.create(sampleRecord())).toBe(true);
    expect(store.create(sampleRecord({ tag: 'other' }))).toBe(false);
    expect(store.read('claude-k3f9')).toEqual(sampleRecord());
    expect(fs.readdirSync(path.join(directory, 'blocks'))).toEqual(['claude-k3f9.json']);
  });

  it('refuses an id that differs from another only in case', () => {
    open().create(sampleRecord());
    expect(() => open().create(sampleRecord({ id: 'Claude-k3f9' }))).toThrow(failure('id-case-clash'));
  });

  it('keeps the fields of a newer version when it changes a record', () => {
    open().create(sampleRecord());
    const file = blockFile('claude-k3f9.json');
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), label: 'nightly' }));
    const store = open();
    const record = store.read('claude-k3f9');
    if (record === undefined) throw new Error('no record');
    store.write({ ...record, state: 'running' });
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ label: 'nightly', state: 'running' });
    expect(modeOf(file)).toBe('600');
  });

  it('heals a torn file, and does not touch one of a newer version', () => {
    open().create(sampleRecord());
    fs.writeFileSync(blockFile('claude-k3f9.json'), '{"sche');
    open().write(sampleRecord({ state: 'running' }));
    expect(open().read('claude-k3f9')).toEqual(sampleRecord({ state: 'running' }));
    const newer = '{"schemaVersion": 2}';
    fs.writeFileSync(blockFile('claude-k3f9.json'), newer);
    expect(() => open().write(sampleRecord())).toThrow(failure('unreadable-record'));
    expect(fs.readFileSync(blockFile('claude-k3f9.json'), 'utf8')).toBe(newer);
  });

  it('replaces a planted symbolic link rather than write through it', () => {
    open().create(sampleRecord());
    const victim = path.join(home, 'victim');
    fs.writeFileSync(victim, 'precious');
    fs.rmSync(blockFile('claude-k3f9.json'));
    fs.symlinkSync(victim, blockFile('claude-k3f9.json'));
    open().write(sampleRecord());
    open().record('claude-k3f9', [], 'wrapper');
    fs.symlinkSync(victim, blockFile('claude-k3f9.members'));
    const member = { pid: 7, startTicks: 1, bootId: 'b' };
    expect(() => open().record('claude-k3f9', [member], 'wrapper')).toThrow(failure('state-unwritable'));
    expect(fs.readFileSync(victim, 'utf8')).toBe('precious');
  });

  it('removes a block with its siblings, but neither one of another machine nor one that it cannot read', () => {
    const store = open();
    store.create(sampleRecord());
    store.record('claude-k3f9', [{ pid: 7, startTicks: 1, bootId: 'b' }], 'wrapper');
    store.record('claude-k3f9', [{ pid: 8, startTicks: 1, bootId: 'b' }], 'reader');
    expect(() => open({ machineId: 'machine-b' }).remove('claude-k3f9')).toThrow(failure('elsewhere'));
    expect(fs.readdirSync(path.join(directory, 'blocks'))).toHaveLength(3);
    store.remove('claude-k3f9');
    store.remove('claude-k3f9');
    expect(fs.readdirSync(path.join(directory, 'blocks'))).toEqual([]);
    fs.writeFileSync(blockFile('torn.json'), '{');
    expect(() => store.remove('torn')).toThrow(failure('unreadable-record'));
    expect(fs.existsSync(blockFile('torn.json'))).toBe(true);
  });

  it('takes an id that leaves the directory for a bug, and finds no block under it', () => {
    const store = open();
    expect(() => store.create(sampleRecord({ id: '../x' }))).toThrow(/^internal/);
    expect(() => store.remove('../x')).toThrow(/^internal/);
    expect(store.read('../x')).toBeUndefined();
  });
});

describe('the directory', () => {
  it('is not created by listing, reading or opening', () => {
    const store = open();
    expect(store.list()).toEqual({ blocks: [], unreadable: [] });
    expect(store.list({ sweepAtMs: Date.now() })).toEqual({ blocks: [], unreadable: [] });
    expect(store.read('claude-k3f9')).toBeUndefined();
    expect(store.recorded('claude-k3f9')).toEqual([]);
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it('is not made in a home that does not exist', () => {
    directory = path.join(home, 'nonexistent/.local/state/agentmux');
    expect(() => open().create(sampleRecord())).toThrow(failure('state-unwritable'));
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it.each([0o777, 0o770, 0o1777, 0o702])('is refused with mode %o, also behind a symbolic link', (mode) => {
    const shared = path.join(home, 'shared');
    fs.mkdirSync(shared);
    fs.chmodSync(shared, mode);
    directory = shared;
    expect(() => open()).toThrow(failure('state-untrusted'));
    directory = path.join(home, 'link');
    fs.symlinkSync(shared, directory);
    expect(() => open()).toThrow(failure('state-untrusted'));
  });

  it('is refused if its blocks may be changed by others', () => {
    open().create(sampleRecord());
    const store = open();
    fs.chmodSync(path.join(directory, 'blocks'), 0o777);
    expect(() => store.list()).toThrow(failure('state-untrusted'));
    expect(() => store.write(sampleRecord())).toThrow(failure('state-untrusted'));
  });

  it('is refused if it belongs to another user', () => {
    open().create(sampleRecord());
    expect(() => open({ uid: (process.getuid?.() ?? 0) + 1 })).toThrow(failure('state-untrusted'));
  });

  itIf(isRoot, 'needs root to give a link away', 'is refused behind a link of another user', () => {
    const own = path.join(home, 'own');
    fs.mkdirSync(own, { mode: 0o700 });
    directory = path.join(home, 'link');
    fs.symlinkSync(own, directory);
    expect(open().create(sampleRecord())).toBe(true);
    fs.lchownSync(directory, 65534, 65534);
    expect(() => open()).toThrow(failure('state-untrusted'));
  });

  it('below a file is told with path and reason, to readers too', () => {
    const file = path.join(home, 'file');
    fs.writeFileSync(file, '');
    directory = path.join(file, 'agentmux');
    expect(() => open()).toThrow(`cannot use the state directory "${directory}": not a directory`);
    directory = file;
    expect(() => open()).toThrow(`cannot use the state directory "${directory}": not a directory`);
  });

  itIf(!isRoot, 'root may write everywhere', 'that is not writable is told with path and reason', () => {
    fs.chmodSync(home, 0o500);
    try {
      expect(() => open().create(sampleRecord())).toThrow(
        `cannot create the state directory "${directory}": permission denied`,
      );
    } finally {
      fs.chmodSync(home, 0o700);
    }
  });
});

describe('listing', () => {
  it('shows the good records, oldest first, and reports every other file without touching it', () => {
    const store = open();
    store.create(sampleRecord({ id: 'young', createdAtMs: 2 }));
    store.create(sampleRecord({ id: 'old', createdAtMs: 1 }));
    const text = serializeBlockRecord(sampleRecord());
    fs.writeFileSync(blockFile('cut.json'), text.slice(0, 7));
    fs.writeFileSync(blockFile('empty.json'), '');
    fs.writeFileSync(blockFile('zeros.json'), Buffer.alloc(text.length));
    fs.writeFileSync(blockFile('tail.json'), `${text}}}x`);
    fs.writeFileSync(blockFile('latin.json'), Buffer.from([0x22, 0xe9, 0x22]));
    fs.writeFileSync(blockFile('newer.json'), '{"schemaVersion": 2}');
    fs.writeFileSync(blockFile('foreign.json'), '{"name": "left-pad"}');
    fs.writeFileSync(blockFile('renamed.json'), text);
    fs.writeFileSync(blockFile('-x.json'), text);
    fs.writeFileSync(blockFile('huge.json'), '');
    fs.truncateSync(blockFile('huge.json'), 2 ** 40);
    fs.mkdirSync(blockFile('directory.json'));
    fs.symlinkSync('old.json', blockFile('link.json'));
    fs.symlinkSync('nowhere', blockFile('dangling.json'));
    execFileSync('mkfifo', [blockFile('fifo.json')]);
    for (const other of ['notes.txt', 'old.members', '.young.json.0123456789abcdef.tmp']) {
      fs.writeFileSync(blockFile(other), '');
    }
    const before = fs.readdirSync(path.join(directory, 'blocks'));

    const listing = store.list();

    expect(listing.blocks.map((block) => block.id)).toEqual(['old', 'young']);
    const told = listing.unreadable.map(({ id, reason, detail }) => `${id}: ${reason}: ${detail}`);
    expect(told.sort()).toMatchInlineSnapshot(`
      [
        "-x: foreign: the file name is no block id",
        "cut: torn: the file is no complete JSON document",
        "dangling: foreign: a symbolic link",
        "directory: foreign: a directory",
        "empty: torn: the file is empty",
        "fifo: foreign: not a regular file",
        "foreign: foreign: schemaVersion is not 1",
        "huge: foreign: larger than 1048576 bytes",
        "latin: torn: the file is no UTF-8 text",
        "link: foreign: a symbolic link",
        "newer: newer: schema version 2, known up to 1",
        "renamed: foreign: id is not that of the file name",
        "tail: torn: the file is no complete JSON document",
        "zeros: torn: the file is no complete JSON document",
      ]
    `);
    expect(listing.unreadable.every((entry) => entry.path === blockFile(`${entry.id}.json`))).toBe(true);
    expect(fs.readdirSync(path.join(directory, 'blocks'))).toEqual(before);
    expect(() => store.read('fifo')).toThrow(failure('unreadable-record'));
  });

  itIf(!isRoot, 'root may read everything', 'reports a file that it may not read as denied', () => {
    open().create(sampleRecord());
    fs.chmodSync(blockFile('claude-k3f9.json'), 0);
    expect(open().list().unreadable).toMatchObject([{ reason: 'denied', detail: 'permission denied' }]);
  });

  itIf(isRoot, 'needs root to give a file away', 'reports a file of another user as foreign', () => {
    open().create(sampleRecord());
    fs.chownSync(blockFile('claude-k3f9.json'), 65534, 65534);
    expect(open().list().unreadable).toMatchObject([{ reason: 'foreign' }]);
  });

  it('removes only what killed writers left more than an hour ago, and only when asked to', () => {
    const store = open();
    store.create(sampleRecord({ id: 'alive' }));
    const stale = ['.alive.json.0123456789abcdef.tmp', 'gone.members', 'gone.seen'];
    const kept = ['.other.tmp', 'alive.json', 'alive.members', 'notes.txt', 'torn.json', 'young.members'];
    for (const name of [...stale, ...kept]) {
      if (name !== 'alive.json') fs.writeFileSync(blockFile(name), 'x');
      if (name !== 'young.members') fs.utimesSync(blockFile(name), 1000, 1000);
    }
    store.list();
    expect(fs.readdirSync(path.join(directory, 'blocks')).sort()).toEqual([...stale, ...kept].sort());
    store.list({ sweepAtMs: Date.now() });
    expect(fs.readdirSync(path.join(directory, 'blocks')).sort()).toEqual(kept.sort());
  });

  it('finds both roots of a block that ran twice', () => {
    const store = open();
    store.create(sampleRecord());
    store.write(sampleRecord({ runs: [sampleRun(), sampleRun({ endedAtMs: undefined })] }));
    expect(store.list().blocks[0]?.runs).toHaveLength(2);
  });
});

function modeOf(file: string): string {
  return (fs.statSync(file).mode & 0o7777).toString(8);
}
