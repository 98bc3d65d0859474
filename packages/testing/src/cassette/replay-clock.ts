import { abortError } from '@agentkit/core/internal'

/** How long a call waits for others while nothing happens, in milliseconds. */
const longestWaitMs = 1_000

/** A recorded call: when, among all, it was asked and said something. */
type Track = {
  readonly first: number
  readonly last: number
  /** What is still to come. */
  moments: number[]
  isOpen: boolean
  /** Lets it say what comes next. */
  go?: () => void
}

/**
 * Lets calls that go on side by side say what they say in the order in which it was recorded: then agents that work at
 * the same time meet each other as they did. Each moment has a turn of the event loop, as what comes from a network has.
 *
 * A run that goes another way than the recorded one must not hang: when nothing happens for a second, nobody is waited
 * for any more.
 */
export class ReplayClock {
  readonly #tracks: readonly Track[]
  /** Those that are not over, by the moment at which they were asked. */
  #live: Track[]
  readonly #waiting = new Set<Track>()
  #isFree = false
  #isDue = false
  #idle: ReturnType<typeof setTimeout> | undefined

  /** @param moments of each call: when it was asked, and its turns */
  constructor(moments: readonly (readonly number[])[]) {
    this.#tracks = moments.map((own) => {
      return { first: own[0] ?? 0, last: own.at(-1) ?? 0, moments: [...own], isOpen: false }
    })
    this.#live = this.#tracks.toSorted((one, other) => one.first - other.first)
  }

  /** The call is asked. */
  begin(call: number): void {
    const track = this.#trackOf(call)
    track.isOpen = true
    track.moments.shift()
    this.#advance()
  }

  /** Resolves when it is the call's turn to say something, or rejects when the signal aborts. */
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

  /** The call says nothing more: nobody waits for it. */
  end(call: number): void {
    const track = this.#trackOf(call)
    this.#live = this.#live.filter((other) => other !== track)
    this.#advance()
  }

  #trackOf(call: number): Track {
    return this.#tracks[call] as Track // those that it was made of
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
    // Keeps the process alive too: there is something to come.
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

  /** It waits for calls that are under way, and for those that were when it was recorded. */
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
