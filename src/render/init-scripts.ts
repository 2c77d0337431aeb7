import type { ShellName } from './completion-scripts.ts';
import { shellText } from './shell-text.ts';

/**
 * What makes a shell run agents through agentmux-run: a function for each command, or the user's alias with agentmux-run in
 * front. `commands` are names of agents, safe words of a shell.
 */
export function renderInit(shell: ShellName, commands: readonly string[]): string {
  return SCRIPTS[shell]
    .replaceAll('@COMMANDS@', commands.join(' '))
    .replaceAll('@LIST@', commands.map((name) => `'${name}'`).join(', '));
}

const ABOUT = `# Runs @COMMANDS@ through agentmux-run.
# An alias such as "claude --model opus" keeps its arguments; one that is more than a plain command, and a function of
# yours that does more than call the agent, is left as it is and named once: write agentmux-run into it yourself.
# For one command without: AGENTMUX=off claude ...   or   command claude ...
`;

const EDITORS = `
# Editors. Their terminals start your shell, so that the above holds there. What starts an agent itself:
#   VS Code, extension Claude Code: in settings.json
#     "claudeCode.claudeProcessWrapper": "/path/of/agentmux-run"
#   JetBrains, plugin Claude Code: Settings | Tools | Claude Code, Claude command:
#     agentmux-run claude
#   Zed, an agent of your own: in settings.json
#     "agent_servers": { "Gemini, tracked": { "type": "custom", "command": "agentmux-run", "args": ["gemini", "--acp"] } }
# "command -v agentmux-run" prints the path. "agentmux doctor --untracked" lists agents that were started without it.
`;

// Written for bash and zsh: no arrays, no word splitting. `command` passes over functions of that name.
const POSIX = shellText`
__agentmux_run() {
  if [ "$\{AGENTMUX-}" = off ] || ! command -v agentmux-run >/dev/null 2>&1; then
    command "$@"
  else
    command agentmux-run -- "$@"
  fi
}
__agentmux_is_plain() {
  case $1 in
    '' | *[\;\&\|\<\>\(\)\{\}\$'\`'\#\!\*\?]* | *"$__agentmux_newline"*) return 1 ;;
  esac
  case $\{1%%[[:space:]]*} in *=* | \'* | \"* | sudo | doas | env | exec | command | builtin | eval | cd | source | .) return 1 ;; esac
  return 0
}
__agentmux_leave() {
  case $- in *i*) printf 'agentmux: %s %s is left as it is: write agentmux-run into it\n' "$1" "$2" >&2 ;; esac
}
__agentmux_newline='
'
`;

const BASH = `# Shell integration of agentmux for bash. In ~/.bashrc, after your aliases: eval "$(agentmux init bash)"
${ABOUT}if command -v agentmux-run >/dev/null 2>&1; then
${POSIX}${shellText`
__agentmux_wrap() {
  local name=$1 text body
  if text=$(alias -- "$name" 2>/dev/null); then
    text=$\{BASH_ALIASES[$name]}
    case $text in __agentmux_run\ *) return ;; esac
    if __agentmux_is_plain "$text"; then alias -- "$name=__agentmux_run $text"; else __agentmux_leave alias "$name"; fi
    return
  fi
  if declare -F -- "$name" >/dev/null; then
    body=$(declare -f -- "$name")
    case $body in *__agentmux_run*) return ;; esac
    # "name () ", "{ ", one line, "}": what a function that only calls the agent comes to.
    text=$\{body#*$'{ \n'}
    text=$\{text%$'\n}'}
    text=$\{text#"$\{text%%[![:space:]]*}"}
    text=$\{text#command }
    body=$\{text%' "$@"'}
    if [ "$body" = "$text" ] || ! __agentmux_is_plain "$body"; then __agentmux_leave function "$name"; return; fi
    eval "$name() { __agentmux_run $body \"\$@\"; }"
    return
  fi
  eval "$name() { __agentmux_run $name \"\$@\"; }"
}
for __agentmux_name in @COMMANDS@; do __agentmux_wrap "$__agentmux_name"; done
unset __agentmux_name
fi
`}${EDITORS}`;

const ZSH = `# Shell integration of agentmux for zsh. In ~/.zshrc, after your aliases: eval "$(agentmux init zsh)"
${ABOUT}if command -v agentmux-run >/dev/null 2>&1; then
${POSIX}${shellText`
__agentmux_wrap() {
  emulate -L zsh
  zmodload -F zsh/parameter +p:aliases +p:functions
  local name=$1 text body
  if (( $\{+aliases[$name]} )); then
    text=$\{aliases[$name]}
    [[ $text == __agentmux_run\ * ]] && return
    if __agentmux_is_plain "$text"; then aliases[$name]="__agentmux_run $text"; else __agentmux_leave alias "$name"; fi
    return
  fi
  if (( $\{+functions[$name]} )); then
    body=$\{functions[$name]}
    [[ $body == *__agentmux_run* ]] && return
    text=$\{body#"$\{body%%[![:space:]]*}"}
    text=$\{text#command }
    body=$\{text%' "$@"'}
    if [[ $body == "$text" ]] || ! __agentmux_is_plain "$body"; then __agentmux_leave function "$name"; return; fi
    functions[$name]="__agentmux_run $body \"\$@\""
    return
  fi
  functions[$name]="__agentmux_run $name \"\$@\""
}
for __agentmux_name in @COMMANDS@; do __agentmux_wrap "$__agentmux_name"; done
unset __agentmux_name
fi
`}${EDITORS}`;

const FISH = `# Shell integration of agentmux for fish. In ~/.config/fish/config.fish, after your aliases: agentmux init fish | source
${ABOUT}if command -q agentmux-run
${shellText`
function __agentmux_run
    if test "$AGENTMUX" = off; or not command -q agentmux-run
        command $argv
    else
        command agentmux-run -- $argv
    end
end
function __agentmux_wrap --argument-names name
    if functions -q $name
        set -l lines (functions --no-details $name | string match -rv '^\s*(#|$)')
        string match -q '*__agentmux_run*' -- $lines; and return
        # What an alias comes to: one line that calls the agent with all arguments.
        set -l parts
        test (count $lines) -eq 3; and set parts (string match -r '^\s*(?:command )?([^;&|<>(){}$\`#*?\n]+) \$argv;?\s*$' -- $lines[2])
        if test (count $parts) -ne 2; or string match -qr '^(\w+=|sudo|doas|env|exec|eval|cd|source|builtin|[\'"])' -- $parts[2]
            status is-interactive; and echo "agentmux: function $name is left as it is: write agentmux-run into it" >&2
            return
        end
        eval "function $name --wraps $name; __agentmux_run $parts[2] \$argv; end"
        return
    end
    eval "function $name --wraps $name; __agentmux_run $name \$argv; end"
end
for __agentmux_name in @COMMANDS@
    __agentmux_wrap $__agentmux_name
end
set -e __agentmux_name
end
`}${EDITORS}`;

const POWERSHELL = `# Shell integration of agentmux for PowerShell. In $PROFILE: agentmux init powershell | Out-String | Invoke-Expression
${ABOUT.replace('AGENTMUX=off claude ...   or   command claude ...', "$env:AGENTMUX = 'off'")}if (Get-Command agentmux-run -CommandType Application -ErrorAction SilentlyContinue) {
${shellText`
    function global:Invoke-AgentmuxRun {
        param([string]$Name, [object[]]$Rest)
        $command = 'agentmux-run'
        $words = @('--', $Name) + $Rest
        if ($env:AGENTMUX -eq 'off') {
            $real = Get-Command $Name -CommandType ExternalScript, Application -ErrorAction SilentlyContinue | Select-Object -First 1
            if ($real) { $command = $real; $words = $Rest }
        }
        if ($MyInvocation.ExpectingInput) { $input | & $command @words } else { & $command @words }
    }
    foreach ($name in @(@LIST@)) {
        if (Get-Command $name -CommandType Function, Alias -ErrorAction SilentlyContinue) {
            Write-Warning "agentmux: $name is left as it is: write agentmux-run into it"
            continue
        }
        Set-Item -Path "function:global:$name" -Value ([scriptblock]::Create(
            "if (\`$MyInvocation.ExpectingInput) { \`$input | Invoke-AgentmuxRun '$name' \`$args } else { Invoke-AgentmuxRun '$name' \`$args }"
        ))
    }
}
`}${EDITORS.replace('command -v agentmux-run', '(Get-Command agentmux-run).Source')}`;

const SCRIPTS: Readonly<Record<ShellName, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
