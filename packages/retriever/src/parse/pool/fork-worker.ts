import { type ChildProcess, fork } from 'node:child_process'
import * as nodeModule from 'node:module'
import { dirname } from 'node:path'
import type { ParseLimits } from './parse-limits.ts'
import { type WorkerStart, workerEnv } from './worker-env.ts'

/**
 * Starts a process that reads files. Its stderr is a pipe.
 *
 * @param script replaces the module of the process; for tests
 */
export function forkWorker(limits: ParseLimits, script?: string): ChildProcess {
  // `#parse-worker` of the package.json is that module.
  const file = script ?? nodeModule.createRequire(import.meta.url).resolve('#parse-worker')
  // Deno has no such function.
  const cache = nodeModule.getCompileCacheDir?.()
  // Each version of Node has a folder of its own in there.
  const argument: WorkerStart = { limits, ...(cache !== undefined && { compileCache: dirname(cache) }) }
  return fork(file, [JSON.stringify(argument)], {
    env: workerEnv(process.env),
    execArgv: [
      `--max-old-space-size=${Math.ceil(limits.memoryMb)}`,
      '--max-semi-space-size=16',
      // A source imports the sources of other packages.
      ...(file.endsWith('.ts') ? ['--conditions=@agentkit/source'] : []),
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}
