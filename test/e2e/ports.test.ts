import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { compileSchema, findFaults, withoutEachField } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';
import { readRow } from '../helpers/procfs.ts';
import { isNativeReader, readStart } from '../helpers/reader.ts';
import { isRoot, itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface PortRow {
  readonly port: number;
  readonly pid: number | null;
  readonly startTicks: number;
  readonly sharedWith: readonly number[];
  readonly blockId: string | null;
  readonly entry: string | null;
  readonly cwd: string;
  readonly worktree: { readonly path: string; readonly branch: string } | null;
  readonly command: string;
}

const listRows = async (rig: Rig, ...args: string[]): Promise<readonly PortRow[]> =>
  (await rig.agentmux('ports', '--json', ...args).json<{ readonly rows: readonly PortRow[] }>()).rows;

const script = (host: string): string =>
  `import socket,time;s=socket.create_server(("${host}",0));print(s.getsockname()[1],flush=True);time.sleep(300)`;

/** A server in the directory that a tool of the agent started; resolves to its port. */
async function startServer(rig: Rig, id: string, directory: string, host = '127.0.0.1'): Promise<number> {
  mkdirSync(directory, { recursive: true });
  const { agent } = await startBlock(rig, id);
  const file = join(rig.directory, `${id}.port`);
  await agent.startTool(`cd '${directory}'; python3 -c '${script(host)}' > '${file}'; true`);
  return waitFor('the port', async () => {
    const row = (await listRows(rig, '--block', id))[0];
    return row?.port;
  });
}

describe('agentmux ports', () => {
  it('answers from any block who holds a port, in which directory and work tree', async () => {
    const rig = createRig();
    const a = join(rig.workDirectory, 'a');
    mkdirSync(join(a, '.git'), { recursive: true });
    writeFileSync(join(a, '.git', 'HEAD'), 'ref: refs/heads/topic\n');
    const port = await startServer(rig, 'run-a', join(a, 'web'));
    const [row] = await listRows(rig, String(port));
    expect(row).toMatchObject({
      ...{ port, blockId: 'run-a', cwd: join(a, 'web') },
      worktree: { path: a, branch: 'topic', isLinked: false },
    });
    const inside = await rig
      .run('--block', 'run-b', '--', process.execPath, 'bin/agentmux.js', 'ports', String(port))
      .cwd(process.cwd())
      .stdout(/./)
      .run();
    expect(inside.stdout).toMatch(
      new RegExp(`^ *${port} .* ${row?.pid} +run-a .* ${a}/web +topic +\\S*python3 -c`, 'm'),
    );
    const start = readStart(row?.pid ?? 0);
    await rig.agentmux('ports', '-q', String(port)).stdout(`${row?.pid}:${start}\n`).run();
    await rig.agentmux('ports', '--format', '{{.port}} {{.blockId}}', String(port)).stdout(`${port} run-a\n`).run();
  });

  it('filters, sorts and is what its schema says', async () => {
    const rig = createRig();
    const first = await startServer(rig, 'b1', join(rig.workDirectory, 'one'));
    const second = await startServer(rig, 'b2', join(rig.workDirectory, 'two'), '0.0.0.0');
    writeFileSync(join(rig.stateDirectory, 'blocks', 'torn.json'), '{');
    const { stdout } = await rig.agentmux('ports', '--json', String(first)).stdout(/./).stderr(/torn/).run();
    const validate = compileSchema('ports');
    const document: unknown = JSON.parse(stdout);
    expect(findFaults(validate, document)).toEqual([]);
    expect(withoutEachField(document).filter((without) => validate(without.document))).toEqual([]);
    const ask = async (...args: string[]) => {
      const form = ['--format', '{{.port}}', '--filter', 'block=b1', '--filter', 'block=b2'];
      const result = await rig
        .agentmux('ports', ...form, ...args)
        .stdout(/[\s\S]*/)
        .stderr(/torn/)
        .run();
      return result.stdout.split('\n').slice(0, -1).map(Number);
    };
    expect(await ask('--filter', 'directory=TWO')).toEqual([second]);
    expect(await ask('--filter', 'address=127.0.0.1')).toEqual([first]);
    expect(await ask('--sort', 'block')).toEqual([first, second]);
    expect(await ask('--sort', '-block')).toEqual([second, first]);
  });

  it('names the entry of a server in the background', async () => {
    const rig = createRig();
    const port = await startServer(rig, 'b1', rig.workDirectory);
    const { agent } = await startBlock(rig, 'b2');
    const file = join(rig.directory, 'left.port');
    await agent.startTool(`setsid python3 -c '${script('127.0.0.1')}' > '${file}' & exit 0`);
    const left = await waitFor('the entry', async () => {
      const [row] = await listRows(rig, '--block', 'b2');
      return typeof row?.entry === 'string' && row;
    });
    expect(left).toMatchObject({ blockId: 'b2', entry: 'p1', command: expect.stringMatching(/python3 -c/) });
    expect(await listRows(rig, String(port))).toMatchObject([{ blockId: 'b1', entry: null }]);
    expect(await listRows(rig, '--filter', 'entry=p1', '--filter', 'block=b2')).toHaveLength(1);
    const { stdout } = await rig.agentmux('ports', String(left.port)).stdout(/ENTRY/).run();
    expect(stdout).toMatch(new RegExp(`^ *${left.port} .* b2 +p1 `, 'm'));
  });

  it('shows a socket once with all that hold it', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const fork = `import socket,os,time;s=socket.create_server(("127.0.0.1",0));os.fork();time.sleep(300)`;
    const tool = await agent.startTool(`python3 -c '${fork}'; true`);
    const rows = await waitFor('both', async () => {
      const found = await listRows(rig, '--block', 'b1');
      return found[0]?.sharedWith.length === 1 && found;
    });
    expect(rows).toHaveLength(1);
    expect(readRow(rows[0]?.pid ?? 0)?.ppid).toBe(tool);
  });

  it('says so when nothing listens', async () => {
    const rig = createRig();
    await rig.agentmux('ports', '1').stderr('nothing listens on 1\n').run();
    expect(await listRows(rig, '1')).toEqual([]);
    await rig
      .agentmux('ports', '0')
      .status(2)
      .stderr(/is no port from 1 to 65535/)
      .run();
    await rig
      .agentmux('ports', '1', '--filter', 'x=1')
      .status(2)
      .stderr(/unknown key "x"\nhint: keys: port /)
      .run();
  });

  itIf(isRoot, 'needs root, to be another user', "never invents the owner of another user's port", async () => {
    const rig = createRig();
    const port = await startServer(rig, 'b1', join(rig.workDirectory, 'one'));
    const other = createRig({ uid: 65534 });
    if (!isNativeReader) {
      await other
        .agentmux('ports', String(port))
        .stderr(`nothing that can be seen from here listens on ${port}\n`)
        .run();
      return;
    }
    const { stdout } = await other
      .agentmux('ports', String(port))
      .stdout(/./)
      .stderr('? is held by a process that cannot be seen from here\n')
      .run();
    expect(stdout).toMatch(new RegExp(`^ *${port}  tcp +127.0.0.1 +\\?  - +-  - +of uid 0 +\\?$`, 'm'));
    expect((await listRows(other, String(port)))[0]).toMatchObject({ port, pid: null, command: null });
  });
});
