import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { AgentKitError } from '@agentkit/core'
import type { UnreadableStatus } from '../unreadable-file.ts'
import type { FromWorker, ParseEnd, ParsePart, ParseRequest, ToWorker, WorkerStart } from './worker-messages.ts'

/** A file that somebody waits for. */
export type Task = {
  request: ParseRequest
  /** How much of a worker's load it is. */
  weight: number
  /** A worker that had read others before has died of it: not another time. */
  isRetry?: true
  onPart(part: ParsePart): void
  /** What it was given so far is void: it begins anew. */
  onRestart(): void
  resolve(end: ParseEnd): void
  reject(error: AgentKitError): void
}

export interface PoolWorker {
  /** The weight of the files that it has to read; infinite when it takes no more. */
  readonly load: number
  run(task: Task): void
  /** Nobody waits for it any more. */
  cancel(task: Task): void
  close(reason: AgentKitError): Promise<void>
}

export type PoolWorkerOptions = {
  timeoutMs: number
  memoryMb: number
  idleMs: number
  script?: string
  /** A file is done. */
  onFree(): void
  /** It is no more; `left` are files that it has not begun. */
  onEnd(left: Task[]): void
}

/** After an abort a parser may take that long to notice; then its worker is ended. */
const graceMs = 500

/** A thread that reads files one after the other. When it dies, that is the failure of the file that it was at. */
export function createPoolWorker(options: PoolWorkerOptions): PoolWorker {
  const { timeoutMs, memoryMb, idleMs, onFree, onEnd } = options
  // `#parse-worker` of the package.json is that module.
  const script = options.script ?? createRequire(import.meta.url).resolve('#parse-worker')
  // Under `node --input-type=module` a worker may not begin with a file, but it may import one.
  const current = new Int32Array(new SharedArrayBuffer(4))
  const workerData: WorkerStart = { current }
  const worker = new Worker(`import(${JSON.stringify(pathToFileURL(script).href)})`, {
    eval: true,
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 24 },
  })
  /** In the order in which they are read. Those before the one that it is at are done, but not told of yet. */
  const tasks = new Map<number, Task>()
  let load = 0
  let outbox: { id: number; request: ParseRequest }[] = []
  const cancelled = new Set<Task>()
  let nextId = 0
  let filesRead = 0
  let isReady = false
  let isEnding = false
  let clock: NodeJS.Timeout | undefined
  let failure: unknown
  let why: Failure | undefined

  worker.on('message', (message: FromWorker) => {
    // What it was ended for is settled.
    if (isEnding) return
    if (message.type === 'ready') {
      isReady = true
      startClock()
      return
    }
    if (message.type === 'part') {
      const task = tasks.get(message.id)
      if (task !== undefined && !cancelled.has(task)) task.onPart(message.part)
      tell({ type: 'more', id: message.id })
      return
    }
    // Where `node --watch` runs, Node tells of imports by the same way.
    if (message.type !== 'ends') return
    for (const { id, end } of message.ends) {
      const task = tasks.get(id)
      if (task === undefined) continue
      tasks.delete(id)
      load -= task.weight
      filesRead++
      if (!cancelled.delete(task)) task.resolve(end)
    }
    startClock()
    onFree()
  })
  worker.on('error', (error) => {
    failure = error
  })
  worker.on('exit', bury)
  startClock()

  return {
    get load() {
      return isEnding ? Number.POSITIVE_INFINITY : load
    },
    run(task) {
      const id = nextId++
      tasks.set(id, task)
      load += task.weight
      // A message costs more than to read a small file: what comes in this turn goes in one.
      if (outbox.length === 0) setImmediate(sendOutbox)
      outbox.push({ id, request: task.request })
      if (tasks.size === 1) startClock()
    },
    cancel(task) {
      for (const [id, known] of tasks) {
        if (known !== task) continue
        cancelled.add(task)
        sendOutbox()
        tell({ type: 'cancel', id })
        if (currentTask() === task) startClock()
      }
    },
    async close(reason) {
      for (const task of tasks.values()) if (!cancelled.has(task)) task.reject(reason)
      tasks.clear()
      await worker.terminate()
    },
  }

  function tell(message: ToWorker): void {
    worker.postMessage(message)
  }

  function sendOutbox(): void {
    if (outbox.length > 0) tell({ type: 'start', files: outbox })
    outbox = []
  }

  function currentTask(): Task | undefined {
    return tasks.get(Atomics.load(current, 0)) ?? tasks.values().next().value
  }

  /** Limits the time of the file that is being read, or of doing nothing. */
  function startClock(): void {
    clearTimeout(clock)
    const task = currentTask()
    if (task === undefined) worker.unref()
    else worker.ref()
    // Loading is no file's fault.
    if (!isReady) return
    if (task === undefined) {
      clock = setTimeout(end, idleMs).unref()
      return
    }
    const isCancelled = cancelled.has(task)
    const giveUp = (): void => {
      // It may have come to another one already, and not told of it.
      if (currentTask() !== task) startClock()
      else {
        if (!isCancelled) why = tooSlow(timeoutMs)
        end()
      }
    }
    // Where this thread was busy for long, the answer may be here already.
    clock = setTimeout(() => setImmediate(giveUp), isCancelled ? graceMs : timeoutMs).unref()
  }

  function end(): void {
    isEnding = true
    void worker.terminate()
  }

  /** Says of each file what becomes of it, now that the worker is no more. */
  function bury(): void {
    clearTimeout(clock)
    if (!isReady && failure !== undefined) {
      const error = new AgentKitError('unsupported', 'The thread that reads files could not start.', { cause: failure })
      for (const task of tasks.values()) task.reject(error)
      tasks.clear()
    }
    const culprit = currentTask()
    const left = [...tasks.values()].filter((task) => !cancelled.has(task))
    if (culprit !== undefined && left.includes(culprit) && !mayTryAgain(culprit)) {
      left.splice(left.indexOf(culprit), 1)
      culprit.resolve({ outcome: 'unreadable', hash: '', ...verdict() })
    }
    onEnd(left)
  }

  /** A worker may have died of what it read before. */
  function mayTryAgain(task: Task): boolean {
    const isFirst = filesRead === 0 && tasks.values().next().value === task
    if (why !== undefined || isFirst || task.isRetry) return false
    task.isRetry = true
    task.onRestart()
    return true
  }

  function verdict(): Failure {
    if (why !== undefined) return why
    const isTooMuch = failure instanceof Error && 'code' in failure && failure.code === 'ERR_WORKER_OUT_OF_MEMORY'
    if (isTooMuch) return { status: 'too-large', reason: `Reading it takes more than ${memoryMb} MB of memory.` }
    const words = failure instanceof Error ? failure.message : 'it ended without a word'
    return { status: 'corrupt', reason: `Its reader broke down: ${words}` }
  }
}

type Failure = { status: UnreadableStatus; reason: string }

function tooSlow(timeoutMs: number): Failure {
  return { status: 'too-large', reason: `Reading it takes longer than ${timeoutMs / 1_000} seconds.` }
}
