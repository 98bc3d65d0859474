import { resolve } from 'node:path'
import { Command } from 'commander'
import { agentFile } from './common/agent-file.ts'
import { runProgram } from './common/run-program.ts'

/** Set for the process that runs the file, which Node starts again after each change. */
const servesVariable = 'AGENTKIT_DEV_SERVES'

/** `agentkit dev app.ts`: serves an agent during development. */
export function devCommand(): Command {
  return new Command('dev')
    .argument('[file]', 'the app or the file of the agent (default: agent.ts, app.ts, also in src/)')
    .argument('[words...]', 'the arguments of the app')
    .option('--agent <id>', 'the agent that is served, where the file exports several and serves none itself')
    .passThroughOptions()
    .addHelpText('after', examples)
    .action(async (file: string | undefined, words: string[], { agent }: { agent?: string }) => {
      if (process.env[servesVariable] === undefined) {
        // A misspelt name is reported at once, and not watched.
        agentFile(file)
        const own = process.argv[1] ?? ''
        const command = [
          process.execPath,
          ...process.execArgv,
          '--watch',
          '--watch-preserve-output',
          own,
          ...process.argv.slice(2),
        ]
        process.exitCode = await runProgram(command, { [servesVariable]: '1' })
        return
      }
      delete process.env[servesVariable]
      watchAlso(['agentkit_config.toml', '.env'])
      const { serveFile } = await import('./serve-file.ts')
      await serveFile(file, words, agent)
    })
}

const examples = `
Examples:
  agentkit dev
  agentkit dev src/app.ts --port 8001        options after the file are those of the app

The file runs as it is. Where it serves no agent by run(), the one that it exports is served.`

/** Node watches the modules of the process that it has started, and files that this process names. */
function watchAlso(files: readonly string[]): void {
  process.send?.({ 'watch:require': files.map((file) => resolve(file)) })
}
