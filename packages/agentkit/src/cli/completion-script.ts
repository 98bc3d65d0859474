/** What may follow a command. */
export type Completions = {
  /** Its subcommands, and the choices of its argument. */
  words: readonly string[]
  options: readonly string[]
  /** The choices of each option that takes a value. An option without choices has none: shells complete files. */
  values: ReadonlyMap<string, readonly string[]>
}

/** By the path of a command, such as `/runs/list`. */
export type CompletionTable = Map<string, Completions>

export const shells = ['bash', 'zsh', 'fish'] as const

/**
 * A script for a shell. It walks the words before the cursor to the command that they name, and offers what may follow:
 * options for a word that begins with "-", files where no other word is known. Behind `--` the words are not ours.
 */
export function completionScript(shell: (typeof shells)[number], table: CompletionTable): string {
  return { bash, zsh, fish }[shell](table)
}

function bash(table: CompletionTable): string {
  return `# agentkit, for bash: source <(agentkit completion bash)
_agentkit() {
  local at="" word words previous="\${COMP_WORDS[COMP_CWORD-1]}" current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at/$word" in ${paths(table, '|')}) at="$at/$word" ;; */--) at=-- ;; esac
  done
  case "$at $previous" in
${valueCases(table)}
    *) case "$at $current" in
${wordCases(table)}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _agentkit agentkit
`
}

function zsh(table: CompletionTable): string {
  return `#compdef agentkit
_agentkit() {
  local at="" word offered isValue=1 previous="\${words[CURRENT-1]}"
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in (${paths(table, '|')}) at="$at/$word" ;; (*/--) at=-- ;; esac
  done
  case "$at $previous" in
${valueCases(table).replaceAll('words=', 'offered=')}
    *) isValue=
      case "$at \${words[CURRENT]}" in
${wordCases(table).replaceAll('words=', 'offered=')}
      esac ;;
  esac
  compadd -- \${=offered}
  [ -n "$isValue" ] && [ -n "$offered" ] || _files
}
if [ "\${funcstack[1]}" = _agentkit ]; then _agentkit; else compdef _agentkit agentkit; fi
`
}

function fish(table: CompletionTable): string {
  const lines = [...table].flatMap(([path, { words, options, values }]) => {
    const at = `-n "__agentkit_at '${path}'"`
    return [
      ...(words.length > 0 ? [`complete -c agentkit ${at} -f -a '${words.join(' ')}'`] : []),
      ...options.map((option) => `complete -c agentkit ${at} -l ${option.slice(2)}${fishValue(values.get(option))}`),
    ]
  })
  return `# agentkit, for fish
function __agentkit_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    contains -- "$at/$word" ${paths(table, ' ')}; and set at "$at/$word"
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

function fishValue(choices: readonly string[] | undefined): string {
  if (choices === undefined) return ''
  return choices.length === 0 ? ' -r' : ` -x -a '${choices.join(' ')}'`
}

function paths(table: CompletionTable, separator: string): string {
  return [...table.keys()].filter((path) => path !== '').join(separator)
}

function wordCases(table: CompletionTable): string {
  return [...table]
    .flatMap(([path, { words, options }]) => [
      `      "${path} -"*) words="${options.join(' ')}" ;;`,
      `      "${path} "*) words="${words.join(' ')}" ;;`,
    ])
    .join('\n')
}

function valueCases(table: CompletionTable): string {
  const cases = [...table].flatMap(([path, { values }]) =>
    [...values].map(([option, words]) => `    "${path} ${option}") words="${words.join(' ')}" ;;`),
  )
  return cases.join('\n')
}
