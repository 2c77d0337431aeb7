import { shellText } from './shell-text.ts';

/** Shells that completions and init can be printed for. */
export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type ShellName = (typeof shellNames)[number];

/**
 * The completion of a shell. All of it asks `agentmux __complete INDEX -- WORD…`, which answers lines `VALUE TAB TEXT`, or
 * `TAB command N` where word N begins a command of its own. Values hold only what no shell reads as anything else; texts
 * are shown and never run.
 */
export function renderCompletion(shell: ShellName): string {
  return SCRIPTS[shell];
}

// Words come from the line itself: COMP_WORDS is split at ':' and '=' too. `read` expands nothing, and nothing here goes
// through `compgen -W`, which would expand what it is given.
const BASH = shellText`# Completion of agentmux for bash. In ~/.bashrc: eval "$(agentmux completion bash)"
_agentmux_complete() {
  local line=$\{COMP_LINE:0:COMP_POINT} current prefix='' separator answer value index before=1
  local -a words=()
  COMPREPLY=()
  IFS=$' \t' read -r -a words <<< "$line"
  case $line in *[' '$'\t']) words+=('') ;; esac
  words=("$\{words[@]:1}")
  case $\{1##*/} in agentmux-run) words=(run "$\{words[@]}") before=0 ;; esac
  index=$(($\{#words[@]} - 1))
  [ "$index" -ge 0 ] || return 0
  current=$\{words[index]}
  for separator in = :; do
    case $COMP_WORDBREAKS in *"$separator"*) ;; *) continue ;; esac
    case $\{current#"$prefix"} in *"$separator"*) prefix=$\{current%"$\{current##*"$separator"}"} ;; esac
  done
  while IFS= read -r answer; do
    value=$\{answer%%$'\t'*}
    case $answer in
      $'\t'command*) _agentmux_command "$current" "$((index - $\{answer##* }))" "$(($\{answer##* } + before))" ;;
      *) COMPREPLY+=("$\{value#"$prefix"}") ;;
    esac
  done < <(command agentmux __complete "$index" -- "$\{words[@]}" 2>/dev/null)
  case $\{#COMPREPLY[@]}:$\{COMPREPLY[0]-} in 1:*=) compopt -o nospace 2>/dev/null ;; esac
  return 0
}
_agentmux_command() {
  local name
  if declare -F _command_offset >/dev/null; then
    _command_offset "$3"
  elif [ "$2" -eq 0 ]; then
    while IFS= read -r name; do
      case $name in *[!A-Za-z0-9._+-]*) ;; *) COMPREPLY+=("$name") ;; esac
    done < <(compgen -c -- "$1")
  else
    compopt -o default 2>/dev/null
  fi
}
complete -F _agentmux_complete agentmux agentmux-run
`;

const ZSH = shellText`#compdef agentmux agentmux-run
# Completion of agentmux for zsh. In ~/.zshrc, after compinit: eval "$(agentmux completion zsh)"
_agentmux() {
  local answer value
  local -a asked values shown
  local -i before=1
  asked=("$\{(@Q)words[2,CURRENT]}")
  [[ $\{words[1]:t} == agentmux-run ]] && asked=(run "$\{asked[@]}") before=0
  while IFS= read -r answer; do
    if [[ $answer == $'\t'command* ]]; then
      (( before += $\{answer##* } ))
      shift $before words
      (( CURRENT -= before ))
      _normal
      return
    fi
    value=$\{answer%%$'\t'*}
    values+=("$value")
    shown+=("$\{answer//$'\t'/  }")
  done < <(command agentmux __complete $(( $\{#asked} - 1 )) -- "$\{asked[@]}" 2>/dev/null)
  (( $\{#values} )) || return 1
  case $values[1] in
    *=) compadd -S '' -l -d shown -a values ;;
    *) compadd -l -d shown -a values ;;
  esac
}
if [[ $\{funcstack[1]} == _agentmux ]]; then
  _agentmux "$@"
elif (( $+functions[compdef] )); then
  compdef _agentmux agentmux agentmux-run
fi
`;

const FISH = shellText`# Completion of agentmux for fish. In ~/.config/fish/config.fish: agentmux completion fish | source
function __agentmux_complete
    set -l asked (commandline -opc)
    set -l current (commandline -ct)
    test (count $current) -eq 0; and set current ''
    set -l name (string replace -r '.*/' '' -- $asked[1])
    set -e asked[1]
    test "$name" = agentmux-run; and set asked run $asked
    set -l answers (command agentmux __complete (count $asked) -- $asked "$current" 2>/dev/null)
    if string match -q -- \t'command*' "$answers[1]"
        set -l from (math (string replace -r '.* ' '' -- $answers[1]) + 1)
        complete -C (string join ' ' -- (string escape -- $asked[$from..-1]) "$current")
        return
    end
    for answer in $answers
        printf '%s\n' $answer
    end
end
complete -c agentmux -f -a '(__agentmux_complete)'
complete -c agentmux-run -f -a '(__agentmux_complete)'
`;

const POWERSHELL = shellText`# Completion of agentmux for PowerShell. In $PROFILE: agentmux completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName agentmux, agentmux-run -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or $_.Extent.Text -ne $wordToComplete } | ForEach-Object { $_.Extent.Text })
    $name = [System.IO.Path]::GetFileNameWithoutExtension($words[0])
    $words = @($words | Select-Object -Skip 1)
    if ($name -eq 'agentmux-run') { $words = @('run') + $words }
    # A missing last word is an empty one: older versions drop empty arguments.
    $asked = if ($wordToComplete) { $words + $wordToComplete } else { $words }
    agentmux __complete $words.Count '--' @asked 2>$null | ForEach-Object {
        $value, $text = $_ -split [char]9, 2
        if ($value) {
            $shown = if ($text) { $text } else { $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $shown)
        }
    }
}
`;

const SCRIPTS: Readonly<Record<ShellName, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
