import type { Budget } from '../../data/budget.ts'
import type { InputPart, Message } from '../../data/message.ts'

/** Options of a run that a worker begins. */
export type EnqueueOptions = {
  /** The user of the run; `"default"` when absent. */
  userId?: string
  /** The conversation to continue. Its runs begin one after the other, in the order in which they were accepted. */
  sessionId?: string | undefined
  /** What the run may use, together with all runs that it starts. The smaller value of this and the agent's applies. */
  budget?: Budget | undefined
  /** A run of this session: it and every later turn are hidden, and this run takes their place. */
  replaces?: string | undefined
  /**
   * Makes the call repeatable: the same key of the same user, with the same input and options, is the same run. With another
   * input or other options it is `invalid-argument`. It is kept as long as the run, and has at most 1,024 bytes.
   */
  idempotencyKey?: string | undefined
  /** Runs of this user with a higher priority begin first; 0 when absent. Runs of one session always begin in order. */
  priority?: number | undefined
  /** The run does not begin before this time, which is at most 5 years ahead. A time in the past means now. */
  startAfter?: Date | undefined
  /** The deadline of the run, in milliseconds, from its beginning; 1 hour when absent. If the agent's own is shorter, it applies. */
  timeoutMs?: number | undefined
  /** The messages before this one. With a `sessionId`, they have an effect only if the session has no messages yet. */
  history?: readonly Message[] | undefined
}

/** One run of `enqueueMany`. */
export type EnqueueItem = EnqueueOptions & {
  /** The message of the user. */
  input: string | InputPart[]
}

/** Options of `agent.follow`. */
export type FollowOptions = {
  /** The `seq` of the last event that was received. When absent, all stored events are emitted. */
  after?: number | undefined
  /** The run's user; any user when absent. */
  userId?: string
  /** Ends the stream when it aborts. The run continues. */
  signal?: AbortSignal | undefined
}

/** How many runs a worker executes at once. */
export type WorkOptions = {
  /** Runs at once, from 1 to 1,000; 25 when absent. */
  concurrency?: number
  /** Runs at once of one user, while other users wait; `concurrency` when absent. */
  concurrencyPerUser?: number
}

/** A worker of this process. */
export interface Worker {
  /** Takes no more runs, gives its active runs 25 s to end, and releases the others. */
  close(): Promise<void>
}

/** When a schedule starts its runs. */
export type ScheduleTimes = {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string
  /** An IANA name, such as `"Europe/Berlin"`; `"UTC"` when absent. */
  timeZone?: string
  /** What happens with times at which no worker was running: nothing (`"skip"`, the default), or one run for all of them. */
  missed?: 'skip' | 'once'
}

/** A schedule of an agent. Times are ISO 8601, UTC. */
export type ScheduleInfo = Required<ScheduleTimes> & {
  /** The name of the schedule, unique for its agent. */
  name: string
  /** The user of its runs. */
  userId: string
  /** When it starts its next run. */
  next: string
  /** When it last started a run. */
  last?: string
}
