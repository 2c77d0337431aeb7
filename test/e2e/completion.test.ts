import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellText } from '../../src/render/shell-text.ts';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { startBlock } from '../helpers/live-block.ts';
import { hasPty, ptyReason, startOnTerminal } from '../helpers/pty.ts';
import { escapesPattern, untilSeen } from '../helpers/reader.ts';
import { hasShell, makeBinDirectory } from '../helpers/shells.ts';
import { describeIf, itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

const ASK_BASH = shellText`
eval "$(agentmux completion bash)"
COMP_LINE=$1 COMP_POINT=$\{#1}
IFS=" " read -r -a COMP_WORDS <<< "$\{1//:/ : }"
_agentmux_complete "$\{COMP_WORDS[0]}" 2>&1
printf "<%s>\n" "$\{COMPREPLY[@]}"
`;

/** What bash would offer for the line, by its own words for it. */
async function offersOfBash(rig: Rig, line: string, bin: string): Promise<string[]> {
  const { stdout } = await rig
    .command('bash', '--norc', '-c', ASK_BASH, 'bash', line)
    .env('PATH', `${bin}:${rig.env['PATH']}`)
    .stdout(/[\s\S]*/)
    .run();
  return [...stdout.matchAll(/<(.+)>/g)].flatMap((match) => match[1] ?? []);
}

describe('agentmux completion bash', () => {
  it('completes commands, flags and fixed values', async () => {
    const rig = createRig();
    const bin = makeBinDirectory(rig);
    expect(await offersOfBash(rig, 'agentmux kil', bin)).toEqual(['kill', 'kill-tree']);
    expect(await offersOfBash(rig, 'agentmux ps --no-', bin)).toEqual(['--no-ports', '--no-trunc', '--no-redact']);
    expect(await offersOfBash(rig, 'agentmux ports --sort wor', bin)).toEqual(['worktree']);
    expect(await offersOfBash(rig, 'agentmux completion ', bin)).toEqual(['bash', 'zsh', 'fish', 'powershell']);
    expect(await offersOfBash(rig, 'agentmux-run --left', bin)).toEqual(['--leftovers']);
    expect(await offersOfBash(rig, 'agentmux-run --leftovers ', bin)).toEqual(['report', 'kill', 'keep', 'ask']);
    expect(await offersOfBash(rig, 'agentmux run --tracker=c', bin)).toEqual(['cgroup']);
    expect(await offersOfBash(rig, 'agentmux nope ', bin)).toEqual([]);
  });

  it('leaves what follows agentmux-run to the commands of this machine', async () => {
    const rig = createRig();
    const bin = makeBinDirectory(rig);
    expect(await offersOfBash(rig, 'agentmux-run --block x agentmux-r', bin)).toEqual(['agentmux-run']);
    expect(await offersOfBash(rig, 'agentmux run -- agentmux-r', bin)).toEqual(['agentmux-run']);
    expect(await offersOfBash(rig, 'agentmux-run git --', bin)).toEqual([]);
  });

  it('completes live blocks, pids and ports, also behind a colon', async () => {
    const rig = createRig();
    const bin = makeBinDirectory(rig);
    const { agent } = await startBlock(rig, 'b1');
    const serve = 'import socket,time;s=socket.create_server(("127.0.0.1",0));time.sleep(300)';
    const tool = await agent.startTool(`python3 -c '${serve}'; true`);
    const port = await waitFor('the port', async () => {
      const { stdout } = await rig
        .agentmux('ports', '--block', 'b1', '--format', '{{.port}}')
        .stdout(/[\s\S]*/)
        .stderr(/[\s\S]*/)
        .run();
      return stdout.trim() || undefined;
    });
    expect(await offersOfBash(rig, 'agentmux ps --block ', bin)).toEqual(['b1']);
    expect(await offersOfBash(rig, 'agentmux kill-tree --block=b', bin)).toEqual(['b1']);
    const targets = await offersOfBash(rig, 'agentmux kill ', bin);
    expect(targets).toContain(String(tool));
    expect(targets).toContain(`:${port}`);
    expect(await offersOfBash(rig, 'agentmux why :', bin)).toEqual([port]);
    expect(await offersOfBash(rig, `agentmux why :${port?.slice(0, 2)}`, bin)).toEqual([port]);
    expect(await offersOfBash(rig, 'agentmux ports ', bin)).toEqual([port]);
  });

  it('completes entries by their ids, and says what they are', async () => {
    const rig = createRig();
    const bin = makeBinDirectory(rig);
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool(`setsid sleep 322 & ${untilSeen}exit 0`);
    await waitFor('the entry', async () => {
      const { stdout } = await rig.agentmux('entries', '-q').stdout(anything).stderr(anything).run();
      return stdout === 'p1\n';
    });
    for (const command of ['kill', 'keep', 'why', 'release']) {
      expect(await offersOfBash(rig, `agentmux ${command} p`, bin)).toEqual(['p1']);
    }
    await rig.agentmux('__complete', '1', '--', 'kill', 'p').stdout('p1\tb1: sleep 322\n').run();
    await rig.agentmux('kill', 'p1').stdout(anything).stderr(anything).run();
    expect(await offersOfBash(rig, 'agentmux why p', bin)).toEqual([]);
  });

  it('runs nothing of a hostile command, and shows its signs escaped', async () => {
    const rig = createRig();
    const bin = makeBinDirectory(rig);
    const { agent } = await startBlock(rig, 'b1');
    const trap = join(rig.directory, 'trap');
    const name = `\x1b[2J\t$(touch ${trap})\`touch ${trap}\`;touch ${trap}`;
    await agent.startTool(`(exec -a '${name}' sleep 321); true`);
    const shown = new RegExp(escapesPattern("^\\d+\tb1: '?\\\\x1b\\[2J\\\\t\\$\\(touch "), 'm');
    const answer = await waitFor('the process', async () => {
      const { stdout } = await rig
        .agentmux('__complete', '1', '--', 'kill', '')
        .stdout(/[\s\S]*/)
        .run();
      return shown.test(stdout) && stdout;
    });
    expect(answer.split('\n').every((line) => /^((:?|p)\d+\t[^\t]*)?$/.test(line))).toBe(true);
    await offersOfBash(rig, 'agentmux kill ', bin);
    await offersOfBash(rig, `agentmux kill $(touch ${trap}) \`touch ${trap}\` `, bin);
    expect(existsSync(trap)).toBe(false);
  });

  itIf(hasPty, ptyReason, 'completes at the prompt of a real shell', async () => {
    const rig = createRig();
    const bin = makeBinDirectory(rig);
    const terminal = startOnTerminal(rig, ['env', `PATH=${bin}:${rig.env['PATH']}`, 'bash', '--norc', '-i']);
    terminal.type(
      'PS1="> "; bind "set enable-bracketed-paste off"; eval "$(agentmux completion bash)"; echo rea""dy\n',
    );
    await terminal.seen(/ready/);
    terminal.type('agentmux completion power\t');
    await terminal.seen(/agentmux completion powershell/);
  });
});

describe('agentmux __complete', () => {
  it('says nothing about what it cannot do', async () => {
    const rig = createRig();
    for (const args of [[], ['x', '--'], ['1'], ['99', '--', 'ps'], ['1', '--', 'ps', '\x1b$(id)']]) {
      await rig.agentmux('__complete', ...args).run();
    }
    await rig.agentmux('__complete', '2', '--', 'ps', '--block', '').env('AGENTMUX_STATE_DIR', 'relative').run();
  });
});

describeIf(hasShell('fish'), 'fish is not installed', 'agentmux completion fish', () => {
  const offers = async (rig: Rig, line: string, bin: string): Promise<string[]> => {
    const script = 'agentmux completion fish | source; complete -C $argv[1]';
    const { stdout } = await rig
      .command('fish', '--no-config', '-c', script, line)
      .env('PATH', `${bin}:${rig.env['PATH']}`)
      .env('LD_LIBRARY_PATH', process.env['LD_LIBRARY_PATH'])
      .stdout(/[\s\S]*/)
      .run();
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((offer) => offer.split('\t')[0] ?? '');
  };

  it('completes commands, flags and live blocks', async () => {
    const rig = createRig();
    const bin = makeBinDirectory(rig);
    await startBlock(rig, 'b1');
    await waitFor('the block', async () => (await offers(rig, 'agentmux ps --block ', bin)).includes('b1'));
    expect(await offers(rig, 'agentmux kil', bin)).toEqual(['kill', 'kill-tree']);
    expect(await offers(rig, 'agentmux ps --no-', bin)).toEqual(['--no-ports', '--no-redact', '--no-trunc']);
    expect(await offers(rig, 'agentmux-run --leftovers ', bin)).toEqual(['ask', 'keep', 'kill', 'report']);
    expect(await offers(rig, 'agentmux-run --block x agentmux-r', bin)).toContain('agentmux-run');
  });
});

describeIf(hasShell('zsh') && hasPty, 'zsh is not installed', 'agentmux completion zsh', () => {
  it('completes at the prompt', async () => {
    const rig = createRig();
    const bin = makeBinDirectory(rig);
    const terminal = startOnTerminal(rig, ['env', `PATH=${bin}:${rig.env['PATH']}`, 'zsh', '-f', '-i']);
    terminal.type('PS1="> "; autoload -U compinit; compinit -D -u; eval "$(agentmux completion zsh)"; echo rea""dy\n');
    await terminal.seen(/ready/);
    terminal.type('agentmux completion power\t');
    await terminal.seen(/agentmux completion powershell/);
    terminal.type('\x15agentmux ps --no-t\t');
    await terminal.seen(/agentmux ps --no-trunc/);
    terminal.type('\x15agentmux-run --block x agentmux-r\t');
    await terminal.seen(/--block x agentmux-run/);
  });
});
