import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AgentKitError, terminalLine, terminalText } from '@agentkit/core'
import { makeFolder, systemCode } from '@agentkit/core/internal'
import { Command } from 'commander'
import { cassetteVariables } from '../models/cassette-model.ts'
import { importTesting } from '../util/import-optional.ts'
import { checkFile } from './common/agent-file.ts'
import { printError } from './common/print.ts'
import { runProgram } from './common/run-program.ts'
import { UsageError } from './common/usage-error.ts'
import { showCalls, showSum } from './show-cassette.ts'

/** `agentkit record`: runs a command, and records its model calls. */
export function recordCommand(): Command {
  return new Command('record')
    .argument('<cassette>', 'the file to write, replacing an older one')
    .argument('<command...>', commandHelp)
    .passThroughOptions()
    .addHelpText('after', recordExamples)
    .action(record)
}

/** `agentkit replay`: runs a command on recorded model calls. */
export function replayCommand(): Command {
  return new Command('replay')
    .argument('<cassette>', 'a recorded file')
    .argument('<command...>', commandHelp)
    .passThroughOptions()
    .addHelpText('after', replayExamples)
    .action(replay)
}

/** `agentkit cassette`: shows recorded model calls. */
export function cassetteCommand(): Command {
  return new Command('cassette')
    .argument('<cassette>', 'a recorded file')
    .addHelpText('after', cassetteExamples)
    .action(show)
}

const commandHelp = 'the command, for example: -- node app.ts'

const recordExamples = `
Examples:
  agentkit record weather.cassette -- node app.ts
  agentkit record weather.cassette -- npx agentkit run agent.ts "Will it rain?"

Exit codes: those of the command; 1 where it called no model.`

const replayExamples = `
Examples:
  agentkit replay weather.cassette -- node app.ts
  agentkit replay weather.cassette -- node --test

Exit codes: those of the command; 1 for a damaged cassette.`

const cassetteExamples = `
Examples:
  agentkit cassette weather.cassette
  agentkit cassette weather.cassette | grep assistant

Exit codes: 0 shown, 1 a damaged cassette, 2 wrong usage.`

async function record(file: string, words: string[]): Promise<void> {
  const command = commandOf(words)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`"${file}" is a folder. Pass the file to write.`)
  }
  const { readCassette } = await importTesting()
  checkWritable(file)
  const older = existsSync(file) ? readFileSync(file) : undefined
  rmSync(file, { force: true })
  try {
    process.exitCode = await run(command, 'record', file)
    if (existsSync(file)) return printError(`${file}: ${showSum(readCassette(file))}`)
  } finally {
    // A command that could not be started, or failed before its first call, replaces nothing.
    if (older && !existsSync(file)) writeFileSync(file, older)
  }
  const rest = older ? ' The earlier recording is kept.' : ''
  printError(`${file} was not written: the command called no model through an Agent of the package agentkit.${rest}`)
  process.exitCode ||= 1
}

/** Before the command starts, whose calls cost money and could not be recorded. */
function checkWritable(file: string): void {
  const isNew = !existsSync(file)
  try {
    makeFolder(dirname(file))
    appendFileSync(file, '')
    if (isNew) rmSync(file)
  } catch (cause) {
    const message = `The cassette ${file} cannot be written: ${systemCode(cause)}. Pass a file in a folder in which you may write.`
    throw new AgentKitError('storage', message, { cause })
  }
}

async function replay(file: string, words: string[]): Promise<void> {
  const command = commandOf(words)
  checkFile(file, 'Record one with agentkit record.', { kind: 'cassette' })
  const { readCassette } = await importTesting()
  // A damaged cassette is reported before the command starts.
  readCassette(file)
  process.exitCode = await run(command, 'replay', file)
}

/** The path is absolute as the command may change its folder. The variables of an outer recording are removed. */
function run(command: string[], mode: keyof typeof cassetteVariables, file: string): Promise<number> {
  const { record, replay } = cassetteVariables
  const variables = { [record]: undefined, [replay]: undefined, [cassetteVariables[mode]]: resolve(file) }
  return runProgram(command, variables)
}

/** `agentkit record file -- node app.ts` and `agentkit record file node app.ts` are the same. */
function commandOf(words: string[]): string[] {
  const command = words[0] === '--' ? words.slice(1) : words
  if (command[0]) return command
  throw new UsageError('There is no command after the cassette. Pass one, for example: -- node app.ts')
}

async function show(file: string): Promise<void> {
  checkFile(file, 'Record one with agentkit record.', { kind: 'cassette' })
  const { readCassette } = await importTesting()
  const cassette = readCassette(file)
  process.stdout.write(`${terminalLine(`${file}: ${showSum(cassette)}`)}\n\n${terminalText(showCalls(cassette))}\n`)
}
