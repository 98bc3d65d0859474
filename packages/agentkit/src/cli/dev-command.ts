import { Command } from 'commander'
import { runCommand } from './run-command.ts'

/** `agentkit dev app.ts`: runs an app while it is being written. */
export function devCommand(): Command {
  return new Command('dev')
    .description('runs an app, again after each change of its code; the files that its agents answer from are watched')
    .argument('<file>', 'the app, such as app.ts')
    .argument('[words...]', 'what the app is told')
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
      process.exitCode = await runCommand(command, { AGENTKIT_DEV: '1' })
    })
}
