import { ProblemError } from '../answer/problem.ts'

/** Weight of the latest run in the average duration of runs. */
const weight = 1 / 8
/** While a server refuses requests, it logs one of them in this many milliseconds. */
const logEveryMs = 10_000

/** The problems of requests that get no place, which name the time until one is expected. */
export class QueueRefusals {
  readonly #runs: number
  #averageMs = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  /** @param runs how many runs there are at once */
  constructor(runs: number) {
    this.#runs = runs
  }

  /** Includes a run that has settled in the average duration. */
  record(tookMs: number): void {
    this.#averageMs = this.#averageMs === 0 ? tookMs : this.#averageMs + (tookMs - this.#averageMs) * weight
  }

  /** @param queued the runs that wait: `Retry-After` is the estimated time until there are none */
  overloaded(queued: number, detail: string, headers?: Record<string, string>): ProblemError {
    const now = performance.now()
    const quiet = now - this.#loggedAt < logEveryMs
    if (!quiet) this.#loggedAt = now
    return this.#overloaded(queued, detail, { quiet, headers })
  }

  /** The same, which is not logged. */
  quietlyOverloaded(queued: number, detail: string): ProblemError {
    return this.#overloaded(queued, detail, { quiet: true })
  }

  /** The problem of a user at their limit, while other users may have places. */
  tooManyRuns(user: { running: number; waiting: number; most: number }): ProblemError {
    return tooManyRuns(user, this.#secondsFor(user.waiting, user.most))
  }

  #overloaded(
    queued: number,
    detail: string,
    { quiet, headers }: { quiet: boolean; headers?: Record<string, string> | undefined },
  ): ProblemError {
    const retryAfter = String(this.#secondsFor(queued, this.#runs))
    return new ProblemError('overloaded', { detail, headers: { ...headers, 'retry-after': retryAfter }, quiet })
  }

  #secondsFor(ahead: number, places: number): number {
    return Math.max(1, Math.ceil(((ahead + 1) * this.#averageMs) / places / 1000))
  }
}

/** The problem of a user at their limit. It has the headers of the draft and of its earlier versions. */
function tooManyRuns(
  { running, waiting, most }: { running: number; waiting: number; most: number },
  seconds: number,
): ProblemError {
  return new ProblemError('rate-limit', {
    status: 429,
    title: 'Too many runs',
    detail: `${running} runs of this user are active and ${waiting} wait, which is the limit of one user.`,
    headers: {
      'retry-after': String(seconds),
      'ratelimit-policy': `"user-runs";q=${most};qu="concurrent-requests"`,
      ratelimit: `"user-runs";r=0;t=${seconds}`,
      'ratelimit-limit': String(most),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
    },
  })
}
