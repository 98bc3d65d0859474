import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'

await buildPackages()

/** A script of this folder that runs in a process of its own. */
export interface Child {
  readonly process: ChildProcessWithoutNullStreams
  /** Every whole line that it printed, in order. */
  readonly lines: string[]
  /** Settles with the exit code, once everything printed has been read. */
  readonly exited: Promise<number | null>
  /** Settles when it has printed this line; rejects when it ends without. */
  printed(line: string): Promise<void>
}

/** Starts `script` with `node`, on the built packages, whose modules link in less time than sources. */
export function startChild(script: string, values: readonly string[]): Child {
  const file = fileURLToPath(new URL(`./${script}`, import.meta.url))
  const child = spawn(process.execPath, ['--no-warnings', file, ...values], { stdio: 'pipe', env: builtEnvironment() })
  child.stderr.pipe(process.stderr)
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => void lines.push(line))
  const exited = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(([[code]]) => code as number | null)
  return {
    process: child,
    lines,
    exited,
    async printed(line) {
      while (!lines.includes(line)) {
        const ended = await Promise.race([once(reader, 'line'), exited.then(() => 'ended' as const)])
        if (ended === 'ended' && !lines.includes(line)) throw new Error(`The child ended before it said "${line}".`)
      }
    },
  }
}
