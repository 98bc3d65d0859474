#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { cassetteCommands } from './cli/cassette.ts'
import { devCommand } from './cli/dev-command.ts'
import { indexCommand } from './cli/index-command.ts'
import { toolsCommand } from './cli/tools.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const program = new Command('agentkit')
  .description('Runs, builds and checks agents and their tools.')
  .version(version)
  // Options after a command that agentkit runs belong to that command.
  .enablePositionalOptions()
  .addCommand(devCommand())
  .addCommand(indexCommand())
  .addCommand(toolsCommand())

for (const command of cassetteCommands()) program.addCommand(command)

try {
  await program.parseAsync()
} catch (error) {
  const { isAgentKitError, terminalLine } = await import('@agentkit/core')
  if (!isAgentKitError(error)) throw error
  process.stderr.write(`${terminalLine(error.message)}\n`)
  process.exitCode = 1
}
