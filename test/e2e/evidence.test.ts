import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { waitFor } from '../helpers/wait-for.ts';

const SESSION = '5ca4e252-603c-4ea3-a167-f00e45c22fe6';
const mark = (kind: string) => `AI_AGENT=claude-code_2-1-332_${kind} CLAUDE_CODE_SESSION_ID=${SESSION}`;

interface Row {
  readonly pid: number;
  readonly role: string;
  readonly because: string;
  readonly evidence: object;
  readonly command: string;
}

/** Starts what looks like claude: the shell by that name, with these scripts in its directory. */
function startClaude(rig: Rig, scripts: Readonly<Record<string, string>>): void {
  copyFileSync('/bin/bash', join(rig.workDirectory, 'claude'));
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(rig.workDirectory, name), text);
  rig.run('--block', 'b', '--no-labels', '--', './claude', './main').start();
}

async function list(rig: Rig): Promise<readonly Row[]> {
  return (await rig.agentmux('ps', '--all', '--json', '--no-ports').json<{ rows: Row[] }>()).rows;
}

/** The row of a command as soon as it is classed for that reason: until the run has recorded its root, nothing is the agent's own. */
const seenRow = (rig: Rig, word: string, wanted: string): Promise<Row> =>
  waitFor(`${word} as ${wanted}`, async () =>
    (await list(rig)).find(({ command, because }) => command === word && because === wanted),
  );

describe('evidence', () => {
  it('tells a tool call from a server by marks, keeps that, and says why', async () => {
    const rig = createRig();
    startClaude(rig, {
      main: `${mark('harness')} setsid sleep 7001 & ${mark('agent')} CLAUDE_PID=$$ setsid sleep 7002 & wait`,
    });
    // The server's mark counts as soon as the tool's has told whose session it is.
    const tool = await seenRow(rig, 'sleep 7002', 'marked as a tool call');
    const server = await seenRow(rig, 'sleep 7001', "marked as the agent's own");
    expect(server).toMatchObject({ role: 'plumbing', because: "marked as the agent's own" });
    expect(tool).toMatchObject({ role: 'started', because: 'marked as a tool call' });
    expect(tool.evidence).toEqual({ kind: 'mark', mark: 'AI_AGENT', session: SESSION, taskId: null, callId: null });
    expect(existsSync(join(rig.stateDirectory, 'blocks/b.marks'))).toBe(true);
    await rig
      .agentmux('ps', '--explain')
      .stdout(/ started .*marked as a tool call \(AI_AGENT\), session 5ca4e252 .*sleep 7002\n/)
      .run();
    await rig
      .agentmux('ps')
      .stdout(/^(?![\s\S]*sleep 7001)[\s\S]*sleep 7002/)
      .run();
  });

  it('names a daemon of the agent and warns before it is ended with the block, also in a dry run', async () => {
    const rig = createRig();
    startClaude(rig, { main: './claude daemon run & wait', daemon: 'sleep 7003; :' });
    const daemon = await seenRow(rig, './claude daemon run', 'daemon of the agent: Claude daemon');
    expect(daemon).toMatchObject({ role: 'plumbing', because: 'daemon of the agent: Claude daemon' });
    const warning = new RegExp(`warning: Claude daemon \\(pid ${daemon.pid}\\) may host sessions of other agents\n`);
    await rig.agentmux('kill-tree', '--block', 'b', '--dry-run').stdout(/./).stderr(warning).run();
    await rig.agentmux('kill', '--dry-run', String(daemon.pid)).stdout(/./).stderr(warning).run();
    await rig.agentmux('kill-tree', '--block', 'b', '--grace', '0').stdout(/./).stderr(warning).run();
  });
});
