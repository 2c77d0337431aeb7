import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { isAlive } from '../helpers/procfs.ts';
import type { RunningCli } from '../helpers/running-cli.ts';
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
function startClaude(rig: Rig, scripts: Readonly<Record<string, string>>): RunningCli {
  copyFileSync('/bin/bash', join(rig.workDirectory, 'claude'));
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(rig.workDirectory, name), text);
  return rig.run('--block', 'b', '--no-labels', '--', './claude', './main').stderr(anything).start();
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

  it('tells of a session that its agent moved to a daemon of the user outside, at the end and later, and never ends it', async () => {
    const rig = createRig();
    const [asked, moved] = ['asked', 'moved'].map((name) => join(rig.workDirectory, name));
    const until = (path = '') => `while [ ! -e ${path} ]; do sleep 0.1; done`;
    const hosted = `setsid ./claude ./hosted --fork-session --resume /h/projects/p/${SESSION}.jsonl`;
    const wrapper = startClaude(rig, {
      // What "Move to background and exit" does where a daemon runs already.
      main: `${mark('agent')} CLAUDE_PID=$$ setsid sleep 7004 & ${until(`${asked}.now`)}; touch ${asked}; ${until(moved)}`,
      daemon: `${until(asked)}; ${hosted} & wait`,
      hosted: `echo $$ > ${moved}.new; mv ${moved}.new ${moved}; sleep 7005; :`,
    });
    rig.command('./claude', 'daemon', 'run').start();
    await seenRow(rig, 'sleep 7004', 'marked as a tool call');
    writeFileSync(`${asked}.now`, '');
    await wrapper.exited(20_000);
    const pid = Number(readFileSync(moved ?? '', 'utf8'));
    const told = `b: session ${SESSION} goes on in claude (pid ${pid}), outside this block\n`;
    expect(wrapper.stderr).toContain(told);
    await rig
      .agentmux('ps', '--block', 'b')
      .stdout(/sleep 7004/)
      .stderr(told)
      .run();
    const ended = await rig
      .agentmux('kill-tree', '--block', 'b', '--grace', '0')
      .stdout(/sleep 7004/)
      .run();
    expect(ended.stdout).not.toContain('claude');
    expect(isAlive(pid)).toBe(true);
  });
});
