import { existsSync } from 'node:fs'
import { nearestWord } from '@agentkit/core/internal'
import type { Command } from 'commander'

/** Our verb for the word of other tools. */
const foreignVerbs: ReadonlyMap<string, string> = new Map([
  ['serve', 'dev'],
  ['start', 'dev'],
  ['create', 'init'],
  ['new', 'init'],
  ['ask', 'run'],
  ['server', 'dev'],
  ['studio', 'dev'],
  ['playground', 'dev'],
  ['ui', 'dev'],
  ['test', 'eval'],
  ['build', 'tools build'],
  ['search', 'index search'],
  ['deploy', 'docs deploy'],
  ['version', '--version'],
])

/** Our options for the words of other tools. */
const foreignOptions: ReadonlyMap<string, string> = new Map([
  ['--thread', '--session'],
  ['--thread-id', '--session'],
  ['--conversation', '--session'],
  ['--conversation-id', '--session'],
  ['--resource', '--user'],
  ['--format', '--json'],
  ['--output', '--json'],
])

/**
 * The message about a wrong command, with the nearest word where commander finds none: commander takes a misspelt
 * subcommand for an argument if the parent command works alone, and shows the general help for `help` of an unknown
 * command.
 *
 * @param code of the error of commander
 * @param text the message of commander
 * @param command the command that was called
 * @param words all arguments
 */
export function problemText(code: string, text: string, command: Command, words: readonly string[]): string {
  const commands = command.commands.map((one) => one.name())
  const asked = words.at(-1) ?? ''
  if (code === 'commander.help' && words.at(-2) === 'help' && !commands.includes(asked)) {
    return `error: unknown command '${asked}'\n${hint(asked, commands)}`
  }
  if (code === 'commander.unknownCommand') {
    const ours = command.parent ? undefined : foreignVerbs.get(command.args[0] ?? '')
    if (ours) return `${withoutHint(text)}(Did you mean ${ours}?)\n`
    return text.includes('Did you mean') ? text : `${text}(Its commands are ${commands.join(', ')}.)\n`
  }
  if (code === 'commander.unknownOption' && /'-[^']*\s/.test(text)) {
    return `${text}(Put a text that begins with "-" after --.)\n`
  }
  if (code === 'commander.unknownOption' && command.name() === 'dev') return `${text}${devHint}`
  if (code === 'commander.unknownOption') {
    const suggested = suggestCommand(command, words)
    return suggested ? `${text}${suggested}` : optionText(text, command)
  }
  if (code !== 'commander.excessArguments') return text
  const [first = ''] = command.args
  // The default command of a parent command, whose name was not typed: `runs shwo run_7f…` is not a list of runs.
  const siblings = words.includes(command.name()) ? [] : (command.parent?.commands.map((one) => one.name()) ?? [])
  if (siblings.length > 0 && !isPath(first)) {
    return `error: unknown command '${first}'\n${hint(first, siblings) || `(Its commands are ${siblings.join(', ')}.)\n`}`
  }
  const folder =
    command.name() === 'index' ? '(Pass the folder of the files by --folder, or set it in agentkit_config.toml.)\n' : ''
  return `${text}${hint(first, commands) || folder}`
}

/** The message about an unknown option, with ours for the word of another tool, or with all options. */
function optionText(text: string, command: Command): string {
  const options = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))
  const ours = foreignOptions.get(/unknown option '(--[^'=]*)/.exec(text)?.[1] ?? '')
  if (ours && options.includes(ours)) return `${withoutHint(text)}(Did you mean ${ours}?)\n`
  if (text.includes('Did you mean') || options.length === 0) return text
  return `${text}(Its options are ${options.join(', ')}.)\n`
}

/** Without what commander finds, which is the nearest by its letters. */
function withoutHint(text: string): string {
  return text.replace(/\(Did you mean [^)]*\)\n/, '')
}

/** Which port it is, and whether the file reads `--port`, is up to the file. */
const devHint =
  '(Options of the app follow its file: agentkit dev app.ts --port 8001. Or set `port` below [server] in agentkit_config.toml.)\n'

/**
 * A misspelt subcommand can look like an unknown option, which the parent command reports: `eval ad run_7f… --to
 * a.jsonl`.
 */
function suggestCommand(command: Command, words: readonly string[]): string {
  const owner = words.includes(command.name()) ? command : (command.parent ?? command)
  const commands = owner.commands.map((one) => one.name())
  const asked = words.slice(words.indexOf(owner.name()) + 1).find((word) => !word.startsWith('-')) ?? ''
  return commands.includes(asked) || existsSync(asked) ? '' : hint(asked, commands)
}

function isPath(word: string): boolean {
  return /[./\\]/.test(word)
}

function hint(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known)
  return nearest === undefined ? '' : `(Did you mean ${nearest}?)\n`
}
