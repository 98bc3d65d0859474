import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'

await buildPackages()

/** A script that runs in a separate process. */
export interface Child {
  readonly process: ChildProcessWithoutNullStreams
  /** Every complete line of its output, in order. */
  readonly lines: string[]
  /** Resolves with the exit code once all output has been read. */
  readonly exited: Promise<number | null>
  /** The next line of its output. */
  nextLine(): Promise<string>
}

/**
 * Starts a script with `node`, on the built packages: to link their sources would take most of its time.
 * @param script its URL, or its name in this folder
 * @param before a command that runs it
 */
export function startChild(script: string | URL, values: readonly string[], before: readonly string[] = []): Child {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const words = [...before, process.execPath, '--no-warnings', file, ...values]
  const child = spawn(words[0] as string, words.slice(1), { stdio: 'pipe', env: builtEnvironment() })
  child.stderr.pipe(process.stderr)
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => void lines.push(line))
  const exited = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(([[code]]) => code as number | null)
  return {
    process: child,
    lines,
    exited,
    nextLine: async () => String((await once(reader, 'line'))[0]),
  }
}
