import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { startBlock } from '../helpers/live-block.ts';
import { readTable } from '../helpers/procfs.ts';
import { hasPty, ptyReason, startOnTerminal } from '../helpers/pty.ts';
import { isNativeReader, notByPs, orphanCommand, readStart, shownCommand } from '../helpers/reader.ts';
import { describeIf, itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface Row {
  readonly blockId: string;
  readonly pid: number;
  readonly parentPid: number;
  readonly startTicks: number;
  readonly comm: string;
  readonly command: string;
  readonly argv: readonly string[];
  readonly commandBase64: string | null;
  readonly role: string;
  readonly orphan: boolean;
  readonly redacted: boolean;
  readonly listeners: readonly { readonly protocol: string; readonly port: number }[];
  readonly sharedListeners: readonly { readonly port: number; readonly ownerPid: number }[];
}

interface Document {
  readonly rows: readonly Row[];
  readonly blocks: readonly { readonly id: string; readonly agentStarted: number; readonly processes: number }[];
}

const listRows = async (rig: Rig, ...args: string[]): Promise<readonly Row[]> =>
  (await rig.agentmux('ps', '--json', ...args).json<Document>()).rows;

/** Waits until `ps` shows a row, and returns it. */
const seenRow = (rig: Rig, command: string, ...args: string[]): Promise<Row> =>
  waitFor(`a row with "${command}"`, async () => {
    return (await listRows(rig, ...args)).find((row) => row.command.includes(command));
  });

describe('agentmux ps', () => {
  it('lists what the agent started and nothing of its own', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 301 & sleep 302; true');
    const helper = await agent.startPlumbing('sleep', '303');
    await seenRow(rig, 'sleep 302');
    const rows = await listRows(rig);
    expect(rows.map((row) => [row.pid === tool, row.command]).sort()).toEqual([
      [false, 'sleep 301'],
      [false, 'sleep 302'],
      [true, shownCommand("bash -c 'sleep 301 & sleep 302; true'")],
    ]);
    const all = await listRows(rig, '--all');
    expect(all.find((row) => row.pid === helper)?.role).toBe('plumbing');
    expect(all.filter((row) => row.role === 'root')).toHaveLength(1);
    expect(all).toHaveLength(5);
  });

  it('marks what has lost its parent, and keeps equal commands apart', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(`${orphanCommand('sleep 304')}; ${orphanCommand('sleep 304')}; sleep 305; true`);
    const rows = await waitFor('two orphans', async () => {
      const found = (await listRows(rig)).filter((row) => row.command === 'sleep 304' && row.orphan);
      return found.length === 2 && found;
    });
    expect(new Set(rows.map((row) => row.pid)).size).toBe(2);
    const { stdout } = await rig.agentmux('ps').stdout(/./).run();
    expect(stdout).toMatch(/ orphan +.*sleep 304\n/);
    expect(stdout.match(/ sleep 304$/gm)).toHaveLength(2);
  });

  it('prints identities that kill accepts', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 306; true');
    await seenRow(rig, 'sleep 306');
    const { stdout } = await rig.agentmux('ps', '-q').stdout(/./).run();
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toContain(`${tool}:${readStart(tool)}`);
    await rig
      .agentmux('kill', '--grace', '0', ...lines)
      .stdout(/./)
      .stderr(/[\s\S]*/)
      .run();
    expect(await listRows(rig)).toEqual([]);
  });

  it('tells two blocks with equal commands apart', async () => {
    const rig = createRig();
    for (const id of ['b1', 'b2']) {
      const { agent } = await startBlock(rig, id);
      await agent.startTool('sleep 307; true');
    }
    await waitFor('both', async () => (await listRows(rig)).filter((row) => row.command === 'sleep 307').length === 2);
    const { stdout } = await rig.agentmux('ps').stdout(/./).run();
    expect(stdout).toMatch(/^BLOCK /);
    expect(stdout).toMatch(/^b1 .*sleep 307$/m);
    expect(stdout).toMatch(/^b2 .*sleep 307$/m);
    expect((await listRows(rig, '--block', 'b2')).every((row) => row.blockId === 'b2')).toBe(true);
  });

  it('shows the directory of each process where blocks run in several, with a port that both want', async () => {
    const rig = createRig();
    const [a, b] = [join(rig.directory, 'a'), join(rig.directory, 'b')];
    for (const path of [a, b]) mkdirSync(path);
    const serve = 'import socket,time;s=socket.create_server(("127.0.0.1",0));time.sleep(300)';
    rig.run('--block', 'run-a', '--', 'bash', '-c', `python3 -c '${serve}'; true`).cwd(a).start();
    // It may be a shim that runs another python3: what listens is the one.
    const server = await waitFor('the server to listen', async () =>
      (await listRows(rig)).find(({ listeners }) => listeners.length === 1),
    );
    const plain = await rig
      .agentmux('ps')
      .stdout(/PORTS +COMMAND\n/)
      .run();
    expect(plain.stdout).not.toContain('DIRECTORY');
    rig.run('--block', 'run-b', '--', 'sh', '-c', 'sleep 305; true').cwd(b).start();
    await seenRow(rig, 'sleep 305');
    const port = server.listeners[0]?.port;
    const { stdout } = await rig
      .agentmux('ps')
      .stdout(/DIRECTORY/)
      .run();
    expect(stdout).toMatch(new RegExp(`^run-a +${server.pid} .* ${port} +${a} +\\S*python3 -c`, 'm'));
    expect(stdout).toMatch(new RegExp(`^run-b .* ${b} +sleep 305$`, 'm'));
  });

  it('says which block is empty and where the rest is', async () => {
    const rig = createRig();
    await rig.agentmux('ps').stderr('no blocks: agentmux-run COMMAND starts one\n').run();
    const { agent, wrapper } = await startBlock(rig, 'b1');
    const empty = 'b1: nothing agent-started; 1 process of its own: agentmux ps --all --block b1\n';
    await waitFor('the block to run', async () => (await listRows(rig, '--all')).length === 1);
    await rig.agentmux('ps').stderr(empty).run();
    agent.exit(0);
    await wrapper.ended();
    await rig
      .agentmux('ps')
      .stderr('no block has live processes: agentmux blocks --all shows those that ended\n')
      .run();
    await rig
      .agentmux('ps', '--block', 'b1')
      .stderr(/^b1: ended \d+s ago, nothing of it runs\n$/)
      .run();
    expect(await rig.agentmux('ps', '--json').json()).toMatchObject({ blocks: [], rows: [] });
  });

  it('shows a block that is not tracked as such', async () => {
    const rig = createRig();
    await startBlock(rig, 't1', '--terminal');
    await rig.agentmux('ps').stderr('t1: not tracked\n').run();
  });

  it('folds zombies into one note', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const script = 'import os,time\nfor i in range(7):\n  if os.fork()==0: os._exit(0)\ntime.sleep(300)';
    await agent.startTool(`python3 -c '${script}'; true`);
    const { stderr } = await waitFor('the zombies', async () => {
      const result = await rig
        .agentmux('ps')
        .stdout(/[\s\S]*/)
        .stderr(/[\s\S]*/)
        .run();
      return /7 zombies/.test(result.stderr) && result;
    });
    expect(stderr).toMatch(/^b1: 7 zombies, parent \d+\n/);
    expect((await listRows(rig)).filter((row) => row.comm.startsWith('python'))).toHaveLength(1);
  });

  it('gives a socket one owner, v4 and v6, and filters by port', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const script = [
      'import os,socket,time',
      's=socket.socket(socket.AF_INET6);s.bind(("::1",0));s.listen()',
      't=socket.socket();t.bind(("127.0.0.1",0));t.listen()',
      'os.fork();time.sleep(300)',
    ].join(';');
    await agent.startTool(`python3 -c '${script}'; true`);
    const rows = await waitFor('both processes', async () => {
      const found = (await listRows(rig)).filter((row) => row.comm.startsWith('python'));
      return found.length === 2 && found;
    });
    const [server, worker] = rows;
    expect(server?.listeners.map(({ protocol }) => protocol).sort()).toEqual(['tcp', 'tcp6']);
    expect(worker?.listeners).toEqual([]);
    expect(worker?.sharedListeners.map(({ ownerPid }) => ownerPid)).toEqual([server?.pid, server?.pid]);
    const port = server?.listeners[0]?.port;
    const { stdout } = await rig.agentmux('ps', '--filter', `port=${port}`, '--format', '{{.pid}}').stdout(/./).run();
    expect(stdout).toContain(`${server?.pid}\n`);
    expect(await listRows(rig, '--no-ports')).toMatchObject(Array(3).fill({ listeners: null }));
  });

  it('tells the ports of the agent itself, and its terminal', async () => {
    const rig = createRig();
    const serve = 'const s = net.createServer().listen(0, "127.0.0.1", () => console.log(s.address().port))';
    const run = rig.run('--block', 'b1', '--', process.execPath, '-e', serve).stdout(/./).start();
    const port = await waitFor('the port', () => /^(\d+)\n/.exec(run.stdout)?.[1]);
    const own = '1 process of its own: agentmux ps --all --block b1';
    await rig
      .agentmux('ps')
      .stderr(`b1: its own processes listen on ${port}\nb1: nothing agent-started; ${own}\n`)
      .run();
    await rig.agentmux('ps', '--no-ports').stderr(`b1: nothing agent-started; ${own}\n`).run();
    await rig
      .agentmux('ps', '--all')
      .stdout(new RegExp(` ${port} `))
      .run();
  });

  it('shows every process of another pid namespace by its pid here, and its own beside it', async ({ skip }) => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(
      'unshare -Upf --map-root-user --mount-proc sh -c "sleep 308 & wait" || echo refused >&2; sleep 309',
    );
    const row = await seenRow(rig, 'sleep 30');
    if (row.command === 'sleep 309') skip('user namespaces are not allowed here');
    expect(readTable().some(({ pid }) => pid === row.pid)).toBe(true);
    const { stdout } = await rig.agentmux('ps').stdout(/./).run();
    expect(/pid \d+ inside/.test(stdout)).toBe(isNativeReader);
  });

  it('hides secrets, unless asked to show them', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('sh -c "sleep 311; : --token hunter2secret"; true');
    const row = await seenRow(rig, 'sh -c ');
    expect(JSON.stringify(row)).not.toContain('hunter2secret');
    expect(row.redacted).toBe(true);
    const shown = await seenRow(rig, 'sh -c ', '--no-redact');
    expect(JSON.stringify(shown)).toContain('hunter2secret');
  });

  itIf(
    isNativeReader,
    notByPs('it prints no such bytes'),
    'keeps bytes that are no UTF-8 beside the text',
    async () => {
      const rig = createRig();
      const { agent } = await startBlock(rig, 'b1');
      await agent.startTool("python3 -c 'import time; time.sleep(312)' $'caf\\xe9'; true");
      const row = await seenRow(rig, "python3 -c 'import");
      expect(row.argv.at(-1)).toBe('caf\ufffd');
      expect(Buffer.from(row.commandBase64 ?? '', 'base64').toString('latin1')).toContain('caf\xe9');
    },
  );

  it('shows long command lines whole into a pipe', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('sleep 313; true; : $(printf %050000d 0)');
    await agent.startTool(`sleep 314; true; : ${'x'.repeat(100_000)}`);
    const row = await seenRow(rig, 'sleep 314; true');
    expect(row.command.length).toBeGreaterThan(100_000);
    const { stdout } = await rig.agentmux('ps').env('COLUMNS', '80').stdout(/./).run();
    expect(stdout).toContain('x'.repeat(100_000));
  });

  it('sorts and prints the fields that are asked for', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('sleep 315 & sleep 316 & wait');
    await seenRow(rig, 'sleep 316');
    await waitFor('both', async () => (await listRows(rig, '--filter', 'command=sleep 31')).length === 3);
    const { stdout } = await rig
      .agentmux('ps', '--sort', '-command', '--format', '{{.command}}|{{.role}}')
      .stdout(/./)
      .run();
    const shell = shownCommand("bash -c 'sleep 315 & sleep 316 & wait'");
    expect(stdout).toBe(`sleep 316|started\nsleep 315|started\n${shell}|started\n`);
    await rig.agentmux('ps', '--filter', 'pid=1').stderr('no process matches the filter\n').run();
  });

  it('says with --verbose how each thing is known', async () => {
    const rig = createRig({ tracker: 'scan' });
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('sleep 317; true');
    await seenRow(rig, 'sleep 317');
    const { stdout } = await rig
      .agentmux('ps', '--verbose')
      .stdout(/./)
      .stderr(/^b1: running; tracker scan \(best effort\)\nb1: forced: --tracker scan\n$/)
      .run();
    expect(stdout).toMatch(/KNOWN BY +WHY +DIRECTORY +COMMAND/);
    expect(stdout).toMatch(/\(best effort\) +\S.*sleep 317/);
  });

  it('refuses what it cannot do with one line and a hint', async () => {
    const rig = createRig();
    const usage = (...args: string[]) => rig.agentmux('ps', ...args).status(2);
    await usage('--sort', 'nope')
      .stderr(/^error: cannot sort by "nope"\nhint: keys: /)
      .run();
    await usage('--filter', 'nope')
      .stderr(/^error: filter "nope" is no KEY=VALUE\nhint: /)
      .run();
    await usage('--format', '{{.nope}}')
      .stderr(/^error: there is no field "nope"\nhint: fields: blockId, /)
      .run();
    await usage('-q', '--json')
      .stdout(/"code": "usage"/)
      .stderr(/^error: -q and --json /)
      .run();
    await usage('--nope').stderr("error: unknown option '--nope'\nhint: agentmux ps --help\n").run();
    await rig
      .agentmux('ps', '--block', 'nope')
      .status(3)
      .stderr('error: no block "nope"\nhint: agentmux blocks --all\n')
      .run();
    await rig
      .agentmux('ps', '--block')
      .env('AGENTMUX_BLOCKID', 'gone')
      .status(3)
      .stderr(/^error: AGENTMUX_BLOCKID names "gone"/)
      .run();
  });
});

describeIf(hasPty, ptyReason, 'agentmux ps on a terminal', () => {
  it('cuts lines to the terminal, and not with --no-trunc', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(`sleep 318; true; : ${'x'.repeat(300)}`);
    await seenRow(rig, 'sleep 318; true');
    const show = async (...args: string[]): Promise<string[]> => {
      const terminal = startOnTerminal(rig, [process.execPath, 'bin/agentmux.js', 'ps', ...args].map(absolute), {
        columns: 70,
      });
      expect(await terminal.ended()).toBe(0);
      // biome-ignore lint/complexity/useRegexLiterals: the escape is easier to see so
      return terminal.screen.replace(new RegExp('\x1b\\[[0-9;]*m', 'g'), '').split(/\r?\n/);
    };
    const cut = await show();
    expect(Math.max(...cut.map((line) => line.length))).toBeLessThanOrEqual(70);
    expect(cut.some((line) => line.endsWith('…'))).toBe(true);
    expect((await show('--no-trunc')).join('')).toContain('x'.repeat(300));
  });
});

function absolute(word: string): string {
  return word === 'bin/agentmux.js' ? `${process.cwd()}/${word}` : word;
}
