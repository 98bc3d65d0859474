import { Command } from 'commander'
import { runCommand } from './run-command.ts'

/** `agentkit dev app.ts`: runs an app during development. */
export function devCommand(): Command {
  return new Command('dev')
    .description('runs an app, and restarts it after each change of its code')
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
      process.exitCode = await runCommand(command, {})
    })
}
