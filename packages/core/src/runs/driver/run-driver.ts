import type { Approval, Decision } from '../../data/approval-data.ts'
import { AgentKitError, invalidArgument } from '../../data/errors.ts'
import type { AgentEvent, Emit } from '../../data/event.ts'
import { linkSignal } from '../../util/async/abort.ts'
import { keepRequest } from '../../util/async/current-request.ts'
import { PendingApprovals } from '../decisions/pending-approvals.ts'
import { type DraftedRun, type DraftForm, elementsOf, partialsOf } from './drafts.ts'
import { EventBuffer, type EventControl } from './event-buffer.ts'
import type { MemberScope } from './member-run.ts'
import type { AgentRun, RunResult } from './run.ts'
import { type RunDeadlines, startDeadlines } from './run-deadlines.ts'
import { reportUnlessRead } from './unread-failures.ts'

/** What the driver gives the algorithm that it runs. */
export type RunDriver = Clock & {
  runId: string
  signal: AbortSignal
  emit: Emit
  /** Absent for members, whose events are those of the outermost run. */
  events?: EventControl
  /** Whether its events may have a reader. */
  isFollowed(): boolean
  /** Set for the run of a member that is stored as one of its own. */
  memberRun?: MemberScope
  /** Set for a member that has the run's conversation. */
  active?: ActiveMember
  /** Ends the run for the reason given. */
  end(reason: AgentKitError): void
  approvals: PendingApprovals
  ask: Ask
  /** Whether a run that needs approvals ends with them, also when it is iterated. */
  endsForApproval?: boolean
}

type Clock = Pick<RunDeadlines, 'checkTime' | 'pause'> & Partial<Pick<RunDeadlines, 'msLeft' | 'endWithin'>>

/** A member that has the conversation of the agent around it. */
export type ActiveMember = {
  name: string
  /** That of the agent around it. */
  around: RunDriver
  /** Whether its events say that it waits. */
  isWaiting: boolean
  /** How many warnings the run had before: the others are the member's. */
  warningsBefore: number
}

/**
 * Asks the caller about a call that is running. Deadlines do not run meanwhile.
 * @returns `undefined` where no caller can decide
 */
type Ask = (approval: Approval, signal: AbortSignal) => Promise<Decision | undefined>

export type RunRequest = {
  runId: string
  /** From the outermost agent in. */
  path: readonly string[]
  /** The caller's signal. */
  signal: AbortSignal | undefined
  /** The run's deadline, in milliseconds. */
  timeoutMs: number | undefined
  /** False when no reader can follow. */
  keepEvents: boolean
  /** Whether a run that is iterated waits for approvals. */
  waitForApprovals: boolean
  /** Whether a failure that the caller does not read is printed. */
  reports: boolean
  /** Whether another run or process reports how an aborted run ends: that around it, or the one that continues it. */
  endsElsewhere(): boolean
  /** The form of its answer. @throws AgentKitError `invalid-argument` where it has none */
  form(): Promise<DraftForm>
  /** The algorithm. It never rejects. */
  execute(driver: RunDriver): Promise<RunResult>
}

/**
 * The driver of one run: it starts the algorithm once, stops it by one signal, and buffers its events, so that a run
 * settles and releases its session whether or not its events are read.
 */
export function startRun(request: RunRequest): StartableRun {
  const { runId } = request
  const seen = { isSeen: !request.reports }
  const markSeen = (): void => {
    seen.isSeen = true
  }
  const events = new EventBuffer({ ...request, onEndRead: markSeen })
  const emit: Emit = (body, inner) => events.emit(body, inner)
  const approvals = new PendingApprovals(runId)
  const controller = new AbortController()
  const end = (reason: AgentKitError): void => controller.abort(reason)
  let result: Promise<RunResult> | undefined
  let iterated = false
  const inRequest = keepRequest(runId)

  const start = (): Promise<RunResult> => {
    if (result !== undefined) return result
    const unlink = linkSignal(controller, request.signal)
    const { stop, ...time } = startDeadlines(end, request.timeoutMs)
    const ask: Ask = async ({ path, ...approval }, signal) => {
      const decided = approvals.ask(approval.approvalId, signal)
      if (!decided) return undefined
      const resumeClock = time.pause()
      void emit({ type: 'approval-request', ...approval }, path)
      return decided.finally(resumeClock)
    }
    // After this turn of the event loop, so that reading `result` and then iterating sees every event.
    result = Promise.resolve()
      .then(() => {
        const driver = {
          ...{ runId, signal: controller.signal, emit, events, ...time, end, approvals, ask },
          isFollowed: () => events.isFollowed(),
          endsForApproval: !request.waitForApprovals,
        }
        return inRequest ? inRequest(() => request.execute(driver)) : request.execute(driver)
      })
      .then((ended) => {
        if (!ended.error || seen.isSeen) return ended
        const isStoppedByCaller = approvals.isCancelled() || request.signal?.aborted || request.endsElsewhere()
        return ended.finishReason === 'aborted' && isStoppedByCaller ? ended : reportUnlessRead(ended, seen)
      })
      .finally(() => {
        stop()
        unlink()
        events.end()
      })
    return result
  }
  const cancel = (): void => {
    approvals.cancel()
    end(new AgentKitError('aborted', 'The run was cancelled.'))
  }
  // An aborted run does not wait for its reader.
  controller.signal.addEventListener('abort', () => events.stopWaiting())

  const iterate = ({ canDecide }: { canDecide: boolean }): AsyncIterator<AgentEvent, undefined> => {
    if (iterated)
      throw invalidArgument(
        `The run ${runId} is being iterated already. Read its \`result\`, or call stream() for another run.`,
      )
    events.attachReader()
    iterated = true
    if (canDecide && request.waitForApprovals) approvals.attach()
    void start()
    return {
      next: () => events.next(),
      async return() {
        // A run that waits for approvals is stored already, and can be resumed.
        if (approvals.isWaiting()) approvals.detach()
        else cancel()
        events.detachReader()
        await start()
        return { done: true, value: undefined }
      },
    }
  }
  // A reader of drafts receives no approval request: the run ends with it.
  const drafted = (): DraftedRun => ({
    [Symbol.asyncIterator]: () => iterate({ canDecide: false }),
    result: start,
  })

  const run: StartedRun = new StartedRun(start, {
    runId,
    cancel,
    approve: (approvalId) => approvals.decide(approvalId, true),
    markReported: markSeen,
    deny: (approvalId, reason = '') => approvals.decide(approvalId, { deny: reason }),
    answer: (approvalId, result) => approvals.answer(approvalId, result),
    // The form of the output, which `request` has, is its type.
    partials: () => partialsOf(drafted(), request.form) as AsyncIterable<undefined>,
    elements: <Element>(path: string) => elementsOf(drafted(), request.form, path) as AsyncIterable<Element>,
    [Symbol.asyncIterator]: () => iterate({ canDecide: true }),
  })
  return run
}

/** `started` starts it, as reading `result` does. */
export type StartableRun<Output = unknown> = AgentRun<Output> & {
  readonly [started]: () => AgentRun<Output>['result']
}

type Controls = Omit<AgentRun, 'result'> & { markReported(): void }

/** The run of a server or a worker, which reports a failure itself: none is printed as unread. */
export function reported<Run extends AgentRun>(run: Run): Run {
  if (run instanceof StartedRun) run[markReported]()
  return run
}

const markReported: unique symbol = Symbol('markReported')

/** Starts the run, as reading `result` does. */
export const started: unique symbol = Symbol('started')

/**
 * Reading `result` starts the run, so copying or serializing the run must not read it. A class, as V8 gives each object
 * with an accessor of its own a hidden class of its own, which keeps the run in memory until the next full garbage collection.
 */
class StartedRun implements StartableRun {
  readonly runId: Controls['runId']
  readonly cancel: Controls['cancel']
  readonly approve: Controls['approve']
  readonly deny: Controls['deny']
  readonly answer: Controls['answer']
  readonly partials: Controls['partials']
  readonly elements: Controls['elements']
  readonly [Symbol.asyncIterator]!: Controls[typeof Symbol.asyncIterator] // the compiler does not see the assignment
  readonly [started]: () => AgentRun['result']
  readonly [markReported]: () => void

  constructor(start: () => AgentRun['result'], controls: Controls) {
    this.runId = controls.runId
    this.cancel = controls.cancel
    this.approve = controls.approve
    this.deny = controls.deny
    this.answer = controls.answer
    this.partials = controls.partials
    this.elements = controls.elements
    this[Symbol.asyncIterator] = controls[Symbol.asyncIterator]
    this[started] = start
    this[markReported] = controls.markReported
  }

  get result(): AgentRun['result'] {
    return this[started]()
  }
}
