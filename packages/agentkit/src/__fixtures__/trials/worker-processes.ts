import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildPackages } from '@agentkit/test-build'
import type { TrialWorker } from './trial-worker.ts'

export type WorkerProcess = { readonly child: ChildProcess; readonly pid: number; readonly options: TrialWorker }

/** The workers of a trial. A worker that dies without having been killed is recorded. */
export type WorkerProcesses = {
  /** The workers that are ready. */
  readonly running: WorkerProcess[]
  /** The exits of processes that were not killed here. */
  readonly deaths: string[]
  /** The output of workers on stderr. */
  readonly printed: string[]
  start(options: TrialWorker): Promise<WorkerProcess>
  kill(worker: WorkerProcess): Promise<void>
  killAll(): Promise<void>
}

type Options = {
  /** Whether another worker starts where one has died by itself. */
  restarts?: boolean
  onDeath?(pid: number): void
}

export function workerProcesses({ restarts = false, onDeath = () => {} }: Options = {}): WorkerProcesses {
  const running: WorkerProcess[] = []
  const all = new Set<WorkerProcess>()
  const deaths: string[] = []
  const printed: string[] = []
  const killed = new Set<ChildProcess>()
  const file = fileURLToPath(new URL('./trial-worker.ts', import.meta.url))
  let isOver = false
  let built: Promise<void> | undefined
  // Many processes start: they share what is compiled.
  const environment = { NODE_OPTIONS: '', NODE_COMPILE_CACHE: join(tmpdir(), 'agentkit-trial-cache') }

  const start = async (options: TrialWorker): Promise<WorkerProcess> => {
    // All packages but this one, of which it loads three files.
    built ??= buildPackages()
    await built
    const words = ['--no-warnings', file, JSON.stringify(options)]
    const child = spawn(process.execPath, words, { stdio: 'pipe', env: { ...process.env, ...environment } })
    const worker = { child, pid: child.pid ?? 0, options }
    child.stderr.on('data', (chunk) => void printed.push(`${child.pid}: ${String(chunk).trim()}`))
    all.add(worker)
    child.once('exit', (code, signal) => {
      all.delete(worker)
      if (running.includes(worker)) running.splice(running.indexOf(worker), 1)
      if (killed.has(child)) return
      deaths.push(`${child.pid}: ${signal ?? code}`)
      onDeath(worker.pid)
      if (restarts && !isOver) void start(options)
    })
    const output = createInterface({ input: child.stdout })
    await Promise.race([once(output, 'line'), once(child, 'exit')])
    if (all.has(worker)) running.push(worker)
    return worker
  }
  const kill = async ({ child }: WorkerProcess): Promise<void> => {
    killed.add(child)
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }
  return {
    ...{ running, deaths, printed, start, kill },
    async killAll() {
      isOver = true
      await Promise.all([...all].map(kill))
    },
  }
}
