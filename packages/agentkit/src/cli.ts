#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { cassetteCommands } from './cli/cassette.ts'
import { devCommand } from './cli/dev-command.ts'
import { indexCommand } from './cli/index-command.ts'
import { mcpCommand } from './cli/mcp-command.ts'
import { queueCommand } from './cli/queue-command.ts'
import { runsCommand } from './cli/runs-command.ts'
import { toolsCommand } from './cli/tools.ts'
import { UsageError } from './cli/usage-error.ts'
import { workerCommand } from './cli/worker-command.ts'
import { servedAgents } from './util/loaded-file.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const program = new Command('agentkit')
  .description('Runs, builds and checks agents and their tools.')
  .version(version)
  // Options after a command that agentkit runs belong to that command.
  .enablePositionalOptions()
  .addCommand(devCommand())
  .addCommand(indexCommand())
  .addCommand(toolsCommand())
  .addCommand(workerCommand())
  .addCommand(runsCommand())
  .addCommand(queueCommand())
  .addCommand(mcpCommand())

for (const command of cassetteCommands()) program.addCommand(command)
throwErrors(program)

// The reader of `agentkit runs list | head` has left, or that of the lines of a worker, which works on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = await report(error)
}
// The file of the agents may have timers and connections of its own, which would keep the process alive.
if (servedAgents()) process.stdout.write('', () => process.exit())

/** By default commander ends the process itself, with 1 for a usage error. */
function throwErrors(command: Command): void {
  command.exitOverride()
  for (const each of command.commands) throwErrors(each)
}

/** @returns the exit code: 2 for a command that was called in a wrong way */
async function report(error: unknown): Promise<number> {
  // Commander has printed its help, or what is wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const { isAgentKitError, terminalLine } = await import('@agentkit/core')
  const isUsage = error instanceof UsageError
  if (!isUsage && !isAgentKitError(error)) throw error
  process.stderr.write(`${terminalLine(error.message)}\n`)
  return isUsage ? 2 : 1
}
