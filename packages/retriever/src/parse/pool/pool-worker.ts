import { type ChildProcess, fork } from 'node:child_process'
import { createRequire, getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import type { UnreadableStatus } from '../../data/unreadable-file.ts'
import type { FromWorker, ParseEnd, ParsePart, ParseRequest, ToWorker } from '../pieces/worker-messages.ts'
import { readLastWords } from './last-words.ts'
import { exceededReason, limitsMark, type ParseLimits } from './parse-limits.ts'
import { type WorkerStart, workerEnv } from './worker-env.ts'

/** A file with a caller that waits for it. */
export type Task = {
  request: ParseRequest
  /** The file's share of a worker's load. */
  weight: number
  /** A worker exited while it may have been reading the file: a worker that reads no other file reads it again. */
  isRetry?: true
  onPart(part: ParsePart): void
  /** Discards the parts so far: the file is read again. */
  onRestart(): void
  resolve(end: ParseEnd): void
  reject(error: unknown): void
}

export interface PoolWorker {
  /** The total weight of its files; infinite when it accepts no more. */
  readonly load: number
  run(task: Task): void
  /** The caller does not wait for the file any more. */
  cancel(task: Task): void
  close(reason: AgentKitError): Promise<void>
}

export type PoolWorkerOptions = {
  limits: ParseLimits
  idleMs: number
  script?: string
  /** Called when a file is done. */
  onFree(): void
  /** Called when the worker has exited; another worker has to read the files in `left`. */
  onEnd(left: Task[]): void
}

/** How long a parser may take to notice an abort, before its process is ended. */
const graceMs = 500
/** The length of stderr that is kept: its end contains the cause of an exit. */
const mostWritten = 8_000

/**
 * A process that reads files one after the other, and ends itself when a file exceeds the limits. Its exit is a failure
 * of the current file.
 */
export function createPoolWorker({ limits, idleMs, script, onFree, onEnd }: PoolWorkerOptions): PoolWorker {
  /** The tasks in reading order. The first ones may be done, but not reported yet. */
  const tasks = new Map<number, Task>()
  const cancelled = new Set<Task>()
  const closed = Promise.withResolvers<void>()
  let load = 0
  let outbox: { id: number; request: ParseRequest }[] = []
  let nextId = 0
  let filesRead = 0
  let isReady = false
  let isEnding = false
  let hasEnded = false
  let idleClock: NodeJS.Timeout | undefined
  let failure: unknown
  let written = ''
  const child = start()

  return {
    get load() {
      return isEnding ? Number.POSITIVE_INFINITY : load
    },
    run(task) {
      const id = nextId++
      tasks.set(id, task)
      load += task.weight
      // A message costs more than reading a small file: all files of this turn go into one message.
      if (outbox.length === 0) setImmediate(sendOutbox)
      outbox.push({ id, request: task.request })
      if (tasks.size === 1) restOrWork()
    },
    cancel(task) {
      for (const [id, known] of tasks) {
        if (known !== task || cancelled.has(task)) continue
        cancelled.add(task)
        sendOutbox()
        send({ type: 'cancel', id })
        setTimeout(() => {
          if (tasks.has(id)) end()
        }, graceMs).unref()
      }
    },
    async close(reason) {
      for (const task of tasks.values()) if (!cancelled.has(task)) task.reject(reason)
      tasks.clear()
      end()
      await closed.promise
    },
  }

  function start(): ChildProcess | undefined {
    try {
      // `#parse-worker` of the package.json is that module.
      const file = script ?? createRequire(import.meta.url).resolve('#parse-worker')
      const cache = getCompileCacheDir()
      // Each version of Node has a folder of its own in there.
      const argument: WorkerStart = { limits, ...(cache !== undefined && { compileCache: dirname(cache) }) }
      const started = fork(file, [JSON.stringify(argument)], {
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
      started.on('message', (message) => receive(message as FromWorker)) // by `answerRequests`
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        written = (written + text).slice(-mostWritten)
      })
      started.on('error', (error) => {
        failure = error
        // The process may never have started: then there is no `close` event.
        if (started.pid === undefined) settleTasks(null)
      })
      started.on('close', (_, signal) => settleTasks(signal))
      return started
    } catch (error) {
      failure = error
      setImmediate(settleTasks, null)
      return undefined
    }
  }

  function receive(message: FromWorker): void {
    if (isEnding) return
    switch (message.type) {
      case 'ready':
        isReady = true
        restOrWork()
        break
      case 'part': {
        const task = tasks.get(message.id)
        if (task !== undefined && !cancelled.has(task)) task.onPart(message.part)
        send({ type: 'more', id: message.id })
        break
      }
      case 'ends':
        for (const { id, end } of message.ends) {
          const task = tasks.get(id)
          if (task === undefined) continue
          tasks.delete(id)
          load -= task.weight
          filesRead++
          if (!cancelled.delete(task)) task.resolve(end)
        }
        restOrWork()
        onFree()
        break
    }
  }

  function send(message: ToWorker): void {
    // Sending fails only after the process has exited, which is handled there.
    child?.send(message, () => {})
  }

  function sendOutbox(): void {
    if (outbox.length > 0) send({ type: 'start', files: outbox })
    outbox = []
  }

  /** An idle process lets the program exit, and exits itself after a while. */
  function restOrWork(): void {
    clearTimeout(idleClock)
    holdProgram(tasks.size === 0 ? 'unref' : 'ref')
    if (isReady && tasks.size === 0) idleClock = setTimeout(end, idleMs).unref()
  }

  function holdProgram(how: 'ref' | 'unref'): void {
    child?.[how]()
    child?.channel?.[how]()
    // The stream of a pipe is a socket, whatever its type says.
    const stderr = child?.stderr as unknown as Record<typeof how, () => void> | null | undefined
    stderr?.[how]()
  }

  function end(): void {
    isEnding = true
    child?.kill('SIGKILL')
    // Files that come now wait for its end, and the program with them.
    holdProgram('ref')
  }

  /** Decides the outcome of each file after the process has exited. */
  function settleTasks(signal: NodeJS.Signals | null): void {
    if (hasEnded) return
    hasEnded = true
    clearTimeout(idleClock)
    const left = [...tasks].filter(([, task]) => !cancelled.has(task))
    if (!isReady && !isEnding) {
      const error = startError(failure, written)
      for (const [, task] of left) task.reject(error)
      left.length = 0
    }
    const again = isEnding ? left.map(([, task]) => task) : afterDeath(left, signal)
    isEnding = true
    for (const task of again) task.onRestart()
    onEnd(again)
    closed.resolve()
  }

  /** Resolves the file that caused the exit. @returns the files for another worker */
  function afterDeath(left: [number, Task][], signal: NodeJS.Signals | null): Task[] {
    const words = readLastWords(written)
    const known = words && left.find(([id]) => id === words.id)?.[1]
    const only = left.length === 1 ? left[0]?.[1] : undefined
    const culprit = known ?? only
    if (culprit === undefined) {
      // With a process per file, the cause will be known.
      for (const [, task] of left) retryAlone(task)
    } else if (culprit.isRetry || (known && isItsOwnFault())) {
      culprit.resolve({ outcome: 'unreadable', ...verdict() })
      return left.filter(([, task]) => task !== culprit).map(([, task]) => task)
    } else retryAlone(culprit)
    return left.map(([, task]) => task)

    /** Memory and faults may be leftovers of earlier files, CPU time is not. */
    function isItsOwnFault(): boolean {
      if (words && 'limit' in words) return words.limit !== 'memory' || words.before < words.most / 3
      return filesRead === 0 && left[0]?.[1] === culprit
    }

    function verdict(): Failure {
      if (words && 'limit' in words) {
        // A wall-clock timeout may be caused by the machine, so the next sync tries again.
        const hash = words.limit === 'wall' ? '' : limitsMark(limits)
        return { status: 'too-large', hash, reason: exceededReason(words) }
      }
      if (words) return { status: 'corrupt', hash: '', reason: `Its reader broke down: ${words.error}` }
      // V8 aborts when its heap is full; a system without memory kills.
      if (signal === 'SIGABRT' || signal === 'SIGKILL') {
        return { status: 'too-large', hash: '', reason: exceededReason({ limit: 'memory', most: limits.memoryMb }) }
      }
      return { status: 'corrupt', hash: '', reason: 'Its reader broke down: it ended without a word' }
    }
  }
}

type Failure = { status: UnreadableStatus; hash: string; reason: string }

/** The number of small files that a worker has in advance, so that it is never idle while its parent writes the index. */
export const fullLoad = 256

function retryAlone(task: Task): void {
  task.isRetry = true
  task.weight = fullLoad
}

function startError(failure: unknown, written: string): AgentKitError {
  const cause = failure ?? new Error(written.trim() || 'It ended without a word.')
  const message = 'The process that reads files could not start. Allow this program to start processes of Node.'
  return new AgentKitError('unsupported', message, { cause })
}
