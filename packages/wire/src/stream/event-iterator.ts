import type { CallWatch } from './call-watch.ts'

/**
 * Hands out the events of a generator of batches one by one. An event that is waiting costs one settled promise,
 * not a turn of a generator: that is most of what a streamed token costs.
 */
export class EventIterator<Event> implements AsyncIterableIterator<Event> {
  readonly #batches: AsyncGenerator<Event[], void>
  readonly #watch: CallWatch
  #batch: Event[] = []
  #index = 0
  #refilling: Promise<IteratorResult<Event>> | undefined

  constructor(batches: AsyncGenerator<Event[], void>, watch: CallWatch) {
    this.#batches = batches
    this.#watch = watch
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** The next event, if it has come. */
  ready(): Event | undefined {
    return this.#index < this.#batch.length && !this.#watch.failure ? this.#batch[this.#index++] : undefined
  }

  next(): Promise<IteratorResult<Event>> {
    if (this.#refilling !== undefined) return this.#refilling.then(this.#again, this.#again)
    // After an abort, what is waiting is not told any more.
    if (this.#index < this.#batch.length && !this.#watch.failure) {
      return Promise.resolve({ done: false, value: this.#batch[this.#index++] as Event })
    }
    const refilling = this.#refill()
    this.#refilling = refilling
    return refilling
  }

  readonly #again = (): Promise<IteratorResult<Event>> => this.next()

  async return(): Promise<IteratorResult<Event>> {
    this.#batch = []
    // First the call, or the generator would finish its pending read before it hears of this.
    if (this.#refilling !== undefined) this.#watch.cancel()
    await this.#batches.return()
    return { done: true, value: undefined }
  }

  async #refill(): Promise<IteratorResult<Event>> {
    try {
      const untold = this.#index < this.#batch.length
      const { done, value } = await this.#batches.next()
      if (done && untold && this.#watch.failure) throw this.#watch.failure
      if (done) return { done, value: undefined }
      this.#batch = value
      this.#index = 1
      // Batches are never empty.
      return { done: false, value: value[0] as Event }
    } finally {
      this.#refilling = undefined
    }
  }
}
