import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { terminalLine, terminalText } from '@agentkit/core'
import { Command } from 'commander'
import { cassetteVariables } from '../models/cassette-model.ts'
import { importTesting } from '../util/import-optional.ts'
import { runCommand } from './run-command.ts'
import { showCalls, showSum } from './show-cassette.ts'

/** `agentkit record`, `agentkit replay` and `agentkit cassette`. */
export function cassetteCommands(): Command[] {
  return [
    new Command('record')
      .description('runs a command, and records what its agents ask models')
      .argument('<cassette>', 'the file to write anew')
      .argument('<command...>', commandHelp)
      .passThroughOptions()
      .action(record),
    new Command('replay')
      .description('runs a command whose models answer from a cassette, without a network and keys')
      .argument('<cassette>', 'a file that was recorded')
      .argument('<command...>', commandHelp)
      .passThroughOptions()
      .action(replay),
    new Command('cassette')
      .description('shows the calls of a cassette')
      .argument('<cassette>', 'a file that was recorded')
      .action(show),
  ]
}

const commandHelp = 'the command, such as: -- node app.ts'

async function record(file: string, command: string[]): Promise<void> {
  const { readCassette } = await importTesting()
  rmSync(file, { force: true })
  process.exitCode = await run(command, 'record', file)
  if (existsSync(file)) return say(`${file}: ${showSum(readCassette(file))}`)
  say(`${file} was not written: the command asked no model by an Agent of the package agentkit.`)
  process.exitCode ||= 1
}

async function replay(file: string, command: string[]): Promise<void> {
  const { readCassette } = await importTesting()
  // Before the command begins: what is wrong with the cassette has nothing to do with it.
  readCassette(file)
  process.exitCode = await run(command, 'replay', file)
}

/** The command may work in another folder, and run in a recording itself. */
function run(command: string[], mode: keyof typeof cassetteVariables, file: string): Promise<number> {
  const { record, replay } = cassetteVariables
  const variables = { [record]: undefined, [replay]: undefined, [cassetteVariables[mode]]: resolve(file) }
  // Both are usual: `agentkit record file -- node app.ts`, and without the dashes.
  return runCommand(command[0] === '--' ? command.slice(1) : command, variables)
}

async function show(file: string): Promise<void> {
  const { readCassette } = await importTesting()
  const cassette = readCassette(file)
  process.stdout.write(`${terminalLine(`${file}: ${showSum(cassette)}`)}\n\n${terminalText(showCalls(cassette))}\n`)
}

/** Beside what the command prints. */
function say(text: string): void {
  process.stderr.write(`${terminalLine(text)}\n`)
}
