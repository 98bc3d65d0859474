import { Command } from 'commander'
import { runProgram } from './common/run-program.ts'

/** `agentkit dev app.ts`: runs an app during development. */
export function devCommand(): Command {
  return new Command('dev')
    .argument('<file>', 'the app, for example app.ts')
    .argument('[words...]', 'the arguments of the app')
    .passThroughOptions()
    .action(async (file: string, words: string[]) => {
      const command = [
        process.execPath,
        ...process.execArgv,
        '--watch',
        '--import',
        'agentkit/register',
        file,
        ...words,
      ]
      process.exitCode = await runProgram(command, {})
    })
}
