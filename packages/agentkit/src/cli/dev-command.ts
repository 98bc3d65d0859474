import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import { agentFile } from './common/agent-file.ts'
import { runProgram } from './common/run-program.ts'
import { UsageError } from './common/usage-error.ts'
import { watchReplaced } from './common/watch-replaced.ts'

/**
 * Set for the process that runs the file, which Node starts again after each change: the path of a file that is written
 * when another one was replaced.
 */
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
      const replaced = process.env[servesVariable]
      if (replaced === undefined) {
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
        process.exitCode = await watched(command)
        return
      }
      delete process.env[servesVariable]
      watchAlso(['agentkit_config.toml', '.env', replaced])
      const { serveFile } = await import('./serve-file.ts')
      try {
        if (await serveFile(file, words, agent)) report('loaded')
        else await refuseAtEnd(file ?? relative('', agentFile(file) ?? ''))
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
        await refuse(error)
      }
    })
}

/** A file without an agent may serve in another way; one that ends does nothing that is watched for. */
async function refuseAtEnd(file: string): Promise<void> {
  const { noAgent } = await import('./common/load-agents.ts')
  process.once('beforeExit', () => void refuse(noAgent(file)))
}

/** Printed here, as the report ends this process. */
async function refuse({ message }: UsageError): Promise<void> {
  const { printError } = await import('./common/print.ts')
  printError(message)
  process.exitCode = 2
  report('usage-error')
}

type Report = 'loaded' | 'usage-error'

/** Reports to the process that has started the watcher: Node forwards messages of the file's process to it. */
function report(agentkit: Report): void {
  process.send?.({ agentkit })
}

/**
 * Runs the file, again after each change. A command that is wrong at its first start ends; later, the file is being
 * edited, and its next change may correct it.
 */
async function watched(command: readonly string[]): Promise<number> {
  let first: Report | undefined
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-dev-'))
  const replaced = join(folder, 'a-file-was-replaced')
  const noteReplaced = (): void => writeFileSync(replaced, String(Date.now()))
  noteReplaced()
  const files = watchReplaced(noteReplaced)
  const code = await runProgram(
    command,
    { [servesVariable]: replaced },
    {
      onMessage(message, end) {
        files.add(message)
        const { agentkit } = Object(message) as { agentkit?: Report }
        if (agentkit === undefined || first !== undefined) return
        first = agentkit
        if (first === 'usage-error') end()
      },
    },
  ).finally(() => {
    files.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return first === 'usage-error' ? 2 : code
}

const examples = `
Examples:
  agentkit dev
  agentkit dev src/app.ts --port 8001        options after the file are those of the app

The file runs as it is. Where it serves no agent by run(), the one that it exports is served.
Exit codes: 0 stopped, 1 failed, 2 wrong usage.`

/** Node watches the modules of the process that it has started, and files that this process names. */
function watchAlso(files: readonly string[]): void {
  // One message for each file: Node ignores the files after a missing one in the same message.
  for (const file of files) process.send?.({ 'watch:require': [resolve(file)] })
}
