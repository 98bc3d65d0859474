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
      .description('runs a command, and records the model calls of its agents')
      .argument('<cassette>', 'the file to write, replacing an older one')
      .argument('<command...>', commandHelp)
      .passThroughOptions()
      .action(record),
    new Command('replay')
      .description('runs a command whose models answer from a cassette, without network and keys')
      .argument('<cassette>', 'a recorded file')
      .argument('<command...>', commandHelp)
      .passThroughOptions()
      .action(replay),
    new Command('cassette')
      .description('shows the calls of a cassette')
      .argument('<cassette>', 'a recorded file')
      .action(show),
  ]
}

const commandHelp = 'the command, for example: -- node app.ts'

async function record(file: string, command: string[]): Promise<void> {
  const { readCassette } = await importTesting()
  rmSync(file, { force: true })
  process.exitCode = await run(command, 'record', file)
  if (existsSync(file)) return print(`${file}: ${showSum(readCassette(file))}`)
  print(`${file} was not written: the command called no model through an Agent of the package agentkit.`)
  process.exitCode ||= 1
}

async function replay(file: string, command: string[]): Promise<void> {
  const { readCassette } = await importTesting()
  // A damaged cassette is reported before the command starts.
  readCassette(file)
  process.exitCode = await run(command, 'replay', file)
}

/** The path is absolute as the command may change its folder. The variables of an outer recording are removed. */
function run(command: string[], mode: keyof typeof cassetteVariables, file: string): Promise<number> {
  const { record, replay } = cassetteVariables
  const variables = { [record]: undefined, [replay]: undefined, [cassetteVariables[mode]]: resolve(file) }
  // `agentkit record file -- node app.ts` and `agentkit record file node app.ts` are the same.
  return runCommand(command[0] === '--' ? command.slice(1) : command, variables)
}

async function show(file: string): Promise<void> {
  const { readCassette } = await importTesting()
  const cassette = readCassette(file)
  process.stdout.write(`${terminalLine(`${file}: ${showSum(cassette)}`)}\n\n${terminalText(showCalls(cassette))}\n`)
}

/** To stderr: stdout has the output of the command. */
function print(text: string): void {
  process.stderr.write(`${terminalLine(text)}\n`)
}
