import { existsSync } from 'node:fs'
import type { Command } from 'commander'

/**
 * The words that a program parses. `help runs list` becomes `runs list --help`, as the command `help` of commander takes
 * one command. For `--help` of an unknown command, commander would show the help of the parent
 * command. Without the option, it reports the unknown word.
 *
 * @param words the arguments as they were typed
 */
export function askedWords(program: Command, words: readonly string[]): readonly string[] {
  if (words[0] === 'help' && words.length > 2) return askedWords(program, [...words.slice(1), '--help'])
  const end = words.indexOf('--')
  const options = end === -1 ? words : words.slice(0, end)
  if (!options.some(isHelp)) return words
  let command = program
  for (const word of options) {
    if (isHelp(word)) continue
    if (word.startsWith('-')) return words
    const known = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (known) command = known
    // The file argument of a default command, such as that of `runs`, is not a misspelt command.
    else return isUnknown(command, word) && !existsSync(word) ? words.filter((one) => !isHelp(one)) : words
  }
  return words
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

/** Whether a command takes commands alone. */
function isUnknown({ commands, registeredArguments }: Command, word: string): boolean {
  return commands.length > 0 && registeredArguments.length === 0 && word !== 'help' && !/[./\\]/.test(word)
}
