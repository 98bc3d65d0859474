import type { Budget } from '../data/budget.ts'
import type { InputPart, Message } from '../data/message.ts'

/** Options of a run that a worker begins. */
export type EnqueueOptions = {
  /** Whose session; `"default"` when absent. */
  userId?: string
  /** Which conversation to continue: its runs begin one after the other, in the order of acceptance. */
  sessionId?: string | undefined
  /** What the run may use up, with all that it starts. It tightens the agent's budget. */
  budget?: Budget | undefined
  /** A run of this session: it and every later turn are hidden, and this run takes their place. */
  replaces?: string | undefined
  /**
   * Makes the call repeatable: the same key of the same user, with the same input and options, is the same run; with
   * others it is `invalid-argument`. Kept as long as the run. At most 1,024 bytes.
   */
  idempotencyKey?: string | undefined
  /** Among the runs of this user: higher first; 0 when absent. Never among the runs of one session. */
  priority?: number | undefined
  /** Not before this time, at most 5 years ahead. A time in the past is now. */
  startAfter?: Date | undefined
  /** The deadline of the run, in milliseconds, from its beginning; 1 hour when absent. The agent's own, when shorter, holds. */
  timeoutMs?: number | undefined
  /** Messages that seed a session which has none yet. Without `sessionId`: what came before. */
  history?: readonly Message[] | undefined
}

/** One run of `enqueueMany`. */
export type EnqueueItem = EnqueueOptions & { input: string | InputPart[] }

/** Options of `agent.follow`. */
export type FollowOptions = {
  /** The `seq` of the last event that was received; 0 when absent: all that are kept. */
  after?: number | undefined
  /** The run's user; any user when absent. */
  userId?: string
  /** Ends the stream. The run continues. */
  signal?: AbortSignal | undefined
}

/** How many runs a worker has at once. */
export type WorkOptions = {
  /** Runs at once, from 1 to 1,000; 25 when absent. */
  concurrency?: number
  /** Runs at once of one user, while other users wait; `concurrency` when absent. */
  concurrencyPerUser?: number
}

/** A worker of this process. */
export interface Worker {
  /** Takes no more runs, gives those that it has 25 s to end, and hands the others back. */
  close(): Promise<void>
}

/** When a schedule starts its runs. */
export type ScheduleTimes = {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string
  /** An IANA name, such as `"Europe/Berlin"`; `"UTC"` when absent. */
  timeZone?: string
  /** What happens with times at which no worker lived: nothing (`"skip"`, the default), or one run for all of them. */
  missed?: 'skip' | 'once'
}

/** A schedule of an agent. Times are ISO 8601, UTC. */
export type ScheduleInfo = Required<ScheduleTimes> & {
  name: string
  userId: string
  next: string
  /** When it last started a run. */
  last?: string
}
