import { abortError } from '@agentkit/core/internal'

/** The time that a call waits for others while nothing happens, in milliseconds. */
const longestWaitMs = 1_000

/** A recorded call: the moments of its request and of its events. */
type Track = {
  readonly first: number
  readonly last: number
  /** The remaining moments. */
  moments: number[]
  isOpen: boolean
  /** Grants its next turn. */
  go?: () => void
}

/**
 * Makes concurrent calls emit their events in the recorded order, so that agents that work at the same time interact as
 * they did. Each moment takes one turn of the event loop, like data from a network.
 *
 * A run that differs from the recorded one must not hang: when nothing happens for a second, calls stop waiting for each
 * other.
 */
export class ReplayClock {
  readonly #tracks: readonly Track[]
  /** The calls that have not ended, by the moment of their request. */
  #live: Track[]
  readonly #waiting = new Set<Track>()
  #isFree = false
  #isDue = false
  #idle: ReturnType<typeof setTimeout> | undefined

  /** @param moments per call: of its request, and its turns */
  constructor(moments: readonly (readonly number[])[]) {
    this.#tracks = moments.map((own) => {
      return { first: own[0] ?? 0, last: own.at(-1) ?? 0, moments: [...own], isOpen: false }
    })
    this.#live = this.#tracks.toSorted((one, other) => one.first - other.first)
  }

  /** The call has sent its request. */
  begin(call: number): void {
    const track = this.#trackOf(call)
    track.isOpen = true
    track.moments.shift()
    this.#advance()
  }

  /** Resolves when it is the call's turn to emit, or rejects when the signal aborts. */
  turn(call: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(abortError(signal))
    const track = this.#trackOf(call)
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(track)
        reject(abortError(signal))
      }
      signal.addEventListener('abort', stop, { once: true })
      track.go = () => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      this.#waiting.add(track)
      this.#advance()
    })
  }

  /** The call has ended: no call waits for it. */
  end(call: number): void {
    const track = this.#trackOf(call)
    this.#live = this.#live.filter((other) => other !== track)
    this.#advance()
  }

  #trackOf(call: number): Track {
    return this.#tracks[call] as Track // the constructor made one per call
  }

  #advance(): void {
    clearTimeout(this.#idle)
    const first = this.#firstWaiting()
    if (this.#isDue || !first) return
    if (this.#mayGo(first)) {
      this.#isDue = true
      setImmediate(() => this.#takeTurn())
      return
    }
    // Keeps the process alive too: events are pending.
    this.#idle = setTimeout(() => {
      this.#isFree = true
      this.#advance()
    }, longestWaitMs)
  }

  #takeTurn(): void {
    this.#isDue = false
    const first = this.#firstWaiting()
    if (first && this.#mayGo(first)) {
      this.#waiting.delete(first)
      first.moments.shift()
      first.go?.()
    }
    this.#advance()
  }

  #firstWaiting(): Track | undefined {
    let first: Track | undefined
    for (const track of this.#waiting) if (!first || nextOf(track) < nextOf(first)) first = track
    return first
  }

  /** Waits for calls in progress, and for those that were in progress in the recording. */
  #mayGo(track: Track): boolean {
    if (this.#isFree) return true
    const next = nextOf(track)
    for (const other of this.#live) {
      if (other.first > next) return true
      if (nextOf(other) < next && (other.isOpen || other.last > track.first)) return false
    }
    return true
  }
}

function nextOf({ moments }: Track): number {
  return moments[0] ?? Number.POSITIVE_INFINITY
}
