#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { type Command, CommanderError } from 'commander'
import { askedWords } from './cli/common/asked-words.ts'
import { checkNode } from './cli/common/check-node.ts'
import { neededNode } from './cli/common/needed-node.ts'
import { UsageError } from './cli/common/usage-error.ts'
import { programWith } from './cli/program.ts'
import { loadedFile } from './util/loaded-file.ts'

// An older Node cannot link the modules that commands load.
if (Number.parseInt(process.versions.node, 10) < 20) {
  const here = `and this is ${process.versions.node}`
  process.stderr.write(
    `agentkit needs Node.js ${neededNode} or later, ${here}. Install a newer one: https://nodejs.org\n`,
  )
  process.exit(1)
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // The reader of a pipe has closed it, as in `agentkit runs list | head`.
  if (code === 'EPIPE') return
  // A worker prints no result: it continues where its lines cannot be written.
  if (process.argv[2] === 'worker') return
  process.stderr.write(`The output cannot be written: ${code}.\n`)
  process.exit(1)
})
// The result and the exit code count where warnings and the log cannot be written.
process.stderr.on('error', () => {})

/** The messages of commander about a wrong command, with the command. */
const problems: { text: string; command: Command }[] = []
// Bound before a command redirects stdout, which it does for the output of the agents' file.
const write = process.stdout.write.bind(process.stdout)
let words: readonly string[] = process.argv.slice(2)
try {
  const program = await programWith(words)
  program.version(version, '-v, --version').hook('preAction', (_, command) => checkNode(command))
  configure(program)
  words = askedWords(program, words)
  await program.parseAsync(words, { from: 'user' })
} catch (error) {
  process.exitCode = await report(error)
}
// The file of the agents may have timers and connections of its own, which would keep the process alive.
// An output that cannot be written is reported before.
if (loadedFile()?.served) write('', () => setImmediate(() => process.exit()))

/** By default commander ends the process itself, with 1 for a usage error, and prints arguments as they are. */
function configure(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: (text) => void problems.push({ text, command }) })
  for (const each of command.commands) configure(each)
}

/** @returns the exit code: 2 for a command that was called in a wrong way */
async function report(error: unknown): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const { isAgentKitError, terminalLine, terminalText } = await import('@agentkit/core')
  if (error instanceof CommanderError) {
    const { problemText } = await import('./cli/common/problem-text.ts')
    const texts = problems.map(({ text, command }) => problemText(error.code, text, command, words))
    // A help comes in parts.
    process.stderr.write(terminalText([...new Set(texts)].join('')))
    return 2
  }
  const isUsage = error instanceof UsageError
  if (!isUsage && !isAgentKitError(error)) throw error
  const { redactSecrets } = await import('@agentkit/core/internal')
  // A file may throw an AgentKitError of its own, with a key in it. It may list several problems, one a line.
  const message = redactSecrets(error.message)
  process.stderr.write(`${isUsage ? terminalLine(message) : terminalText(message)}\n`)
  return isUsage ? 2 : 1
}
