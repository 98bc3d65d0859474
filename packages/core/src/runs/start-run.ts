import { AgentKitError } from '../data/errors.ts'
import type { AgentEvent, AgentEventBody, Emit } from '../data/event.ts'
import { limits } from '../limits.ts'
import { startDeadline } from '../policies/deadline.ts'
import { linkSignal } from '../util/abort.ts'
import { type ApprovalDesk, approvalDesk } from './approval.ts'
import type { AgentRun, RunResult } from './run.ts'

/** What the driver gives the algorithm that it runs. */
export type RunDriver = {
  runId: string
  signal: AbortSignal
  emit: Emit
  /** Ends the run when its deadline has passed. */
  checkTime(): void
  /** Ends the run for the reason given. */
  end(reason: AgentKitError): void
  desk: ApprovalDesk
}

export type RunRequest = {
  runId: string
  /** From the outermost agent in. */
  path: string[]
  /** The caller's signal. */
  signal: AbortSignal | undefined
  /** The run's deadline, in milliseconds. */
  timeoutMs: number | undefined
  /** False when nobody can ask for the events. */
  keepEvents: boolean
  /** Whether a run that is iterated waits for approvals. */
  waitForApprovals: boolean
  /** The algorithm. It never rejects. */
  execute(driver: RunDriver): Promise<RunResult>
}

/**
 * The driver of one run: it starts the algorithm once, stops it by one signal, and holds its events in a bounded
 * buffer, so that a run settles and lets go of its session whether or not anybody reads.
 */
export function startRun(request: RunRequest): AgentRun {
  const { runId } = request
  const events = eventBuffer(request)
  const desk = approvalDesk(runId)
  const controller = new AbortController()
  const end = (reason: AgentKitError): void => controller.abort(reason)
  let result: Promise<RunResult> | undefined
  let iterated = false

  const start = (): Promise<RunResult> => {
    if (result !== undefined) return result
    const unlink = linkSignal(controller, request.signal)
    const deadline = startDeadline(end, request.timeoutMs)
    const { check: checkTime } = deadline
    // After this turn of the event loop, so that reading `result` and then iterating sees every event.
    result = Promise.resolve()
      .then(() => request.execute({ runId, signal: controller.signal, emit: events.emit, checkTime, end, desk }))
      .finally(() => {
        deadline.stop()
        unlink()
        events.end()
      })
    return result
  }
  const cancel = (): void => {
    desk.cancel()
    end(new AgentKitError('aborted', 'The run was cancelled.'))
  }
  // A reader that waits, or a run that waits for its reader, must hear of the end.
  controller.signal.addEventListener('abort', events.stopWaiting)

  const run: AgentRun = {
    runId,
    get result() {
      return start()
    },
    cancel,
    approve: (approvalId) => desk.decide(approvalId, true),
    deny: (approvalId, reason = '') => desk.decide(approvalId, { deny: reason }),
    [Symbol.asyncIterator]() {
      if (iterated) throw new AgentKitError('invalid-argument', `The run ${runId} is being iterated already.`)
      events.attachReader()
      iterated = true
      if (request.waitForApprovals) desk.attend()
      void start()
      return {
        next: events.next,
        async return() {
          // What waits for approval is stored, and goes on when it is decided.
          if (desk.waiting) desk.leave()
          else cancel()
          events.detachReader()
          await start()
          return { done: true, value: undefined }
        },
      }
    },
  }
  // To ask for it starts the run: who copies or serialises what holds a run must not.
  return Object.defineProperty(run, 'result', { enumerable: false })
}

type EventBuffer = {
  emit: Emit
  next(): Promise<IteratorResult<AgentEvent, undefined>>
  attachReader(): void
  detachReader(): void
  stopWaiting(): void
  end(): void
}

function eventBuffer({ runId, path, keepEvents }: RunRequest): EventBuffer {
  let seq = 0
  let waiting: AgentEvent[] = []
  let nextIndex = 0
  let bytes = 0
  let mode: 'unread' | 'read' | 'dropped' = keepEvents ? 'unread' : 'dropped'
  let ended = false
  let isOver = false
  let stopped = false
  let readers: ((result: IteratorResult<AgentEvent, undefined>) => void)[] = []
  let makeRoom: (() => void) | undefined
  let room: Promise<void> | undefined

  const letGo = (): void => {
    makeRoom?.()
    makeRoom = room = undefined
  }
  const drop = (): void => {
    mode = 'dropped'
    waiting = []
    nextIndex = bytes = 0
    letGo()
  }

  return {
    emit(body, inner) {
      // What a member that was left behind still says, nobody is told: the end is the last.
      if (isOver) return undefined
      isOver = body.type === 'run-end'
      seq++
      if (mode === 'dropped') return undefined
      const event = toEvent(seq, runId, inner ? [...path, ...inner] : [...path], body)
      const reader = readers.shift()
      if (reader) {
        reader({ done: false, value: event })
        return undefined
      }
      waiting.push(event)
      bytes += sizeOf(body)
      if (bytes <= limits.eventBufferBytes) return undefined
      if (mode === 'unread') {
        drop()
        return undefined
      }
      if (stopped) return undefined
      room ??= new Promise((resolve) => {
        makeRoom = resolve
      })
      return room
    },
    next() {
      const value = waiting[nextIndex]
      if (value !== undefined) {
        nextIndex++
        if (nextIndex === waiting.length) {
          waiting = []
          nextIndex = bytes = 0
          letGo()
        }
        return Promise.resolve({ done: false, value })
      }
      if (ended) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve) => readers.push(resolve))
    },
    attachReader() {
      if (mode === 'dropped') {
        throw new AgentKitError(
          'invalid-argument',
          `The events of run ${runId} were not read while it ran, and are gone. Iterate it before awaiting its result.`,
        )
      }
      mode = 'read'
    },
    detachReader() {
      drop()
      ended = true
    },
    stopWaiting() {
      stopped = true
      letGo()
    },
    end() {
      ended = true
      for (const reader of readers) reader({ done: true, value: undefined })
      readers = []
    },
  }
}

/** Most events are text; naming their fields costs half of spreading them. */
function toEvent(seq: number, runId: string, path: string[], body: AgentEventBody): AgentEvent {
  if (body.type === 'text-delta') return { seq, runId, path, type: body.type, text: body.text }
  return { seq, runId, path, ...body }
}

/** About how many bytes an event holds. */
function sizeOf(body: AgentEventBody): number {
  switch (body.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return 64 + body.text.length
    case 'tool-call':
    case 'approval-request':
      return 64 + (JSON.stringify(body.input)?.length ?? 0)
    case 'tool-result':
      return 64 + (typeof body.output === 'string' ? body.output.length : (JSON.stringify(body.output)?.length ?? 0))
    case 'source':
      return 256 + body.source.quote.length
    default:
      return 256
  }
}
