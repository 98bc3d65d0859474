import type { ChildProcess } from 'node:child_process'
import type { AgentKitError } from '@agentkit/core'
import { startError } from '../../util/start-error.ts'
import type { FromWorker, ParseRequest, ToWorker } from '../pieces/worker-messages.ts'
import { forkWorker } from './fork-worker.ts'
import type { ParseLimits } from './parse-limits.ts'
import { settleExit } from './settle-exit.ts'
import type { Task } from './task.ts'

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
export class PoolWorker {
  readonly #options: PoolWorkerOptions
  /** The tasks in reading order. The first ones may be done, but not reported yet. */
  readonly #tasks = new Map<number, Task>()
  readonly #cancelled = new Set<Task>()
  readonly #closed = Promise.withResolvers<void>()
  readonly #child: ChildProcess | undefined
  #load = 0
  #outbox: { id: number; request: ParseRequest }[] = []
  #nextId = 0
  #filesRead = 0
  #isReady = false
  #isEnding = false
  #hasEnded = false
  #idleTimer: NodeJS.Timeout | undefined
  #failure: unknown
  #stderr = ''

  constructor(options: PoolWorkerOptions) {
    this.#options = options
    this.#child = this.#start()
  }

  /** The total weight of its files; infinite when it accepts no more. */
  get load(): number {
    return this.#isEnding ? Number.POSITIVE_INFINITY : this.#load
  }

  run(task: Task): void {
    const id = this.#nextId++
    this.#tasks.set(id, task)
    this.#load += task.weight
    // A message costs more than reading a small file: all files of this turn go into one message.
    if (this.#outbox.length === 0) setImmediate(() => this.#sendOutbox())
    this.#outbox.push({ id, request: task.request })
    if (this.#tasks.size === 1) this.#updateIdle()
  }

  /** The caller does not wait for the file any more. */
  cancel(task: Task): void {
    for (const [id, known] of this.#tasks) {
      if (known !== task || this.#cancelled.has(task)) continue
      this.#cancelled.add(task)
      this.#sendOutbox()
      this.#send({ type: 'cancel', id })
      setTimeout(() => {
        if (this.#tasks.has(id)) this.#kill()
      }, graceMs).unref()
    }
  }

  async close(reason: AgentKitError): Promise<void> {
    for (const task of this.#tasks.values()) if (!this.#cancelled.has(task)) task.reject(reason)
    this.#tasks.clear()
    this.#kill()
    await this.#closed.promise
  }

  #start(): ChildProcess | undefined {
    try {
      const child = forkWorker(this.#options.limits, this.#options.script)
      child.on('message', (message) => this.#receive(message as FromWorker)) // by `answerRequests`
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        this.#stderr = (this.#stderr + text).slice(-mostWritten)
      })
      child.on('error', (error) => {
        this.#failure = error
        // The process may never have started: then there is no `close` event.
        if (child.pid === undefined) this.#settleTasks(null)
      })
      child.on('close', (_, signal) => this.#settleTasks(signal))
      return child
    } catch (error) {
      this.#failure = error
      setImmediate(() => this.#settleTasks(null))
      return undefined
    }
  }

  #receive(message: FromWorker): void {
    if (this.#isEnding) return
    switch (message.type) {
      case 'ready':
        this.#isReady = true
        this.#updateIdle()
        break
      case 'part': {
        const task = this.#tasks.get(message.id)
        if (task !== undefined && !this.#cancelled.has(task)) task.onPart(message.part)
        this.#send({ type: 'more', id: message.id })
        break
      }
      case 'ends':
        for (const { id, end } of message.ends) {
          const task = this.#tasks.get(id)
          if (task === undefined) continue
          this.#tasks.delete(id)
          this.#load -= task.weight
          this.#filesRead++
          if (!this.#cancelled.delete(task)) task.resolve(end)
        }
        this.#updateIdle()
        this.#options.onFree()
        break
    }
  }

  #send(message: ToWorker): void {
    // Sending fails only after the process has exited, which is handled there.
    this.#child?.send(message, () => {})
  }

  #sendOutbox(): void {
    if (this.#outbox.length > 0) this.#send({ type: 'start', files: this.#outbox })
    this.#outbox = []
  }

  /** An idle process lets the program exit, and exits itself after a while. */
  #updateIdle(): void {
    clearTimeout(this.#idleTimer)
    this.#holdProgram(this.#tasks.size === 0 ? 'unref' : 'ref')
    if (this.#isReady && this.#tasks.size === 0) {
      this.#idleTimer = setTimeout(() => this.#kill(), this.#options.idleMs).unref()
    }
  }

  #holdProgram(how: 'ref' | 'unref'): void {
    const child = this.#child
    child?.[how]()
    // Bun's channel has neither method.
    child?.channel?.[how]?.()
    // The stream of a pipe is a socket, whatever its type says.
    const stderr = child?.stderr as unknown as Record<typeof how, () => void> | null | undefined
    stderr?.[how]()
  }

  #kill(): void {
    this.#isEnding = true
    this.#child?.kill('SIGKILL')
    // Files that come now wait for its end, and the program with them.
    this.#holdProgram('ref')
  }

  /** Decides the outcome of each file after the process has exited. */
  #settleTasks(signal: NodeJS.Signals | null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#idleTimer)
    const again = this.#tasksAfterExit(signal)
    this.#isEnding = true
    for (const task of again) task.onRestart()
    this.#options.onEnd(again)
    this.#closed.resolve()
  }

  /** @returns the tasks for another worker; the others are settled */
  #tasksAfterExit(signal: NodeJS.Signals | null): Task[] {
    const left = [...this.#tasks].filter(([, task]) => !this.#cancelled.has(task))
    if (this.#isEnding) return left.map(([, task]) => task)
    if (this.#isReady) {
      const { limits } = this.#options
      return settleExit(left, { signal, stderr: this.#stderr, limits, filesRead: this.#filesRead })
    }
    const error = startError('reads files', this.#failure, this.#stderr)
    for (const [, task] of left) task.reject(error)
    return []
  }
}
