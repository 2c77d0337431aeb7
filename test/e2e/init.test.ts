import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { hasShell, makeBinDirectory, writeProgram } from '../helpers/shells.ts';
import { describeIf } from '../helpers/skip.ts';

interface Shell {
  readonly name: string;
  /** The words that start it with a script. */
  readonly argv: readonly string[];
  /** What a user's file says first, and how it takes the integration. */
  readonly load: string;
}

const shells: readonly Shell[] = [
  { name: 'bash', argv: ['bash', '--norc', '-O', 'expand_aliases', '-c'], load: 'eval "$(agentmux init bash)"' },
  { name: 'zsh', argv: ['zsh', '-f', '-c'], load: 'eval "$(agentmux init zsh)"' },
  { name: 'fish', argv: ['fish', '--no-config', '-c'], load: 'agentmux init fish | source' },
];

/** A `gemini` that tells its arguments and whether it is in a block. */
function makeAgents(rig: Rig): string {
  const bin = makeBinDirectory(rig);
  for (const name of ['gemini', 'codex']) {
    writeProgram(
      join(bin, name),
      `printf '${name}'; for word; do printf ' <%s>' "$word"; done; echo " in [$AGENTMUX_BLOCKID]" | sed 's/-[a-z0-9]*]/]/'`,
    );
  }
  return bin;
}

/** What the lines print when a shell has read `before`, then the integration. */
async function runIn(rig: Rig, shell: Shell, bin: string, before: string, ...lines: string[]): Promise<string> {
  // Aliases of a line hold from the next one that is read on.
  const script = [before, shell.load, ...lines.map((line) => `eval '${line}'`)].join('\n');
  const { stdout } = await rig
    .command(...(shell.argv as [string]), script)
    .env('PATH', `${bin}:${rig.env['PATH']}`)
    .env('LD_LIBRARY_PATH', process.env['LD_LIBRARY_PATH'])
    .stdout(/[\s\S]*/)
    .run();
  return stdout;
}

for (const shell of shells) {
  describeIf(hasShell(shell.name), `${shell.name} is not installed`, `agentmux init ${shell.name}`, () => {
    it('runs agents in a block with their arguments as they are', async () => {
      const rig = createRig({ tracker: 'scan' });
      const bin = makeAgents(rig);
      const out = await runIn(rig, shell, bin, '', 'gemini -p "a  b" "*" ""', 'codex');
      expect(out).toBe('gemini <-p> <a  b> <*> <> in [gemini]\ncodex in [codex]\n');
    });

    it('keeps the arguments of an alias, and of a function that only calls the agent', async () => {
      const rig = createRig({ tracker: 'scan' });
      const bin = makeAgents(rig);
      expect(await runIn(rig, shell, bin, `alias gemini='gemini --model opus'`, 'gemini -p "a  b"')).toBe(
        'gemini <--model> <opus> <-p> <a  b> in [gemini]\n',
      );
      const body =
        shell.name === 'fish' ? '; command codex --full-auto $argv; end' : '() { command codex --full-auto "$@"; }';
      const definition = shell.name === 'fish' ? `function codex${body}` : `codex${body}`;
      expect(await runIn(rig, shell, bin, definition, 'codex "x y"')).toBe('codex <--full-auto> <x y> in [codex]\n');
    });

    it('takes an alias to a program that is not in PATH', async () => {
      const rig = createRig({ tracker: 'scan' });
      const bin = makeAgents(rig);
      writeProgram(
        join(rig.workDirectory, 'gemini'),
        'echo "local $* in [$AGENTMUX_BLOCKID]" | sed "s/-[a-z0-9]*]/]/"',
      );
      rmSync(join(bin, 'gemini'));
      const alias = `alias gemini='${rig.workDirectory}/gemini --x'`;
      expect(await runIn(rig, shell, bin, alias, 'gemini y')).toBe('local --x y in [gemini]\n');
    });

    it('leaves what is more than a plain command as it is', async () => {
      const rig = createRig({ tracker: 'scan' });
      const bin = makeAgents(rig);
      expect(await runIn(rig, shell, bin, `alias gemini='echo first; command gemini'`, 'gemini y')).toBe(
        'first\ngemini <y> in []\n',
      );
      const definition =
        shell.name === 'fish'
          ? 'function codex; echo first; command codex $argv; end'
          : 'codex() { echo first; command codex "$@"; }';
      expect(await runIn(rig, shell, bin, definition, 'codex y')).toBe('first\ncodex <y> in []\n');
    });

    it('can be read twice', async () => {
      const rig = createRig({ tracker: 'scan' });
      const bin = makeAgents(rig);
      const before = `alias gemini='gemini --model opus'\n${shell.load}`;
      expect(await runIn(rig, shell, bin, before, 'gemini y', 'codex z')).toBe(
        'gemini <--model> <opus> <y> in [gemini]\ncodex <z> in [codex]\n',
      );
    });

    it('steps aside for AGENTMUX=off, for command, and where agentmux-run is not there', async () => {
      const rig = createRig({ tracker: 'scan' });
      const bin = makeAgents(rig);
      const off = shell.name === 'fish' ? 'set -lx AGENTMUX off; gemini y' : 'AGENTMUX=off gemini y';
      expect(await runIn(rig, shell, bin, '', off, 'command gemini z')).toBe('gemini <y> in []\ngemini <z> in []\n');
      expect(await runIn(rig, shell, bin, '', `rm "${bin}/agentmux-run"`, 'gemini y')).toBe('gemini <y> in []\n');
      expect(await runIn(rig, shell, bin, '', 'gemini z')).toBe('gemini <z> in []\n');
    });
  });
}

describe('agentmux init', () => {
  it('tells of editors, and prints no script of a shell that it does not know', async () => {
    const rig = createRig();
    for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
      const { stdout } = await rig.agentmux('init', shell).stdout(/./).run();
      expect(stdout).toMatch(/\n# {3}VS Code[\s\S]*\n# {3}JetBrains[\s\S]*\n# {3}Zed/);
      expect(stdout).not.toMatch(/@[A-Z]+@/);
    }
    const { stdout } = await rig.agentmux('init', 'powershell').stdout(/./).run();
    // PowerShell drops a bare `--`, and a function without these words the input of a pipe.
    expect(stdout).toContain("@('--', $Name) + $Rest");
    expect(stdout).toContain('$input | & $command @words');
    for (const [open, close] of ['()', '{}', '[]']) {
      expect(stdout.split(open ?? '').length).toBe(stdout.split(close ?? '').length);
    }
    await rig
      .agentmux('init', 'tcsh')
      .status(2)
      .stderr(/'tcsh' is invalid .*bash, zsh, fish, powershell/)
      .run();
  });
});
