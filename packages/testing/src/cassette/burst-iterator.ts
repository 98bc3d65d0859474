import type { ModelEvent, ModelStream } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'

/** Yields the events of bursts one by one; the events of one burst follow synchronously. */
export class BurstIterator implements ModelStream, AsyncIterableIterator<ModelEvent> {
  readonly #bursts: AsyncGenerator<ModelEvent[], void>
  readonly #signal: AbortSignal
  #burst: ModelEvent[] = []

  constructor(bursts: AsyncGenerator<ModelEvent[], void>, signal: AbortSignal) {
    this.#bursts = bursts
    this.#signal = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  ready(): ModelEvent | undefined {
    // After an abort, the rest of a burst is dropped.
    return this.#signal.aborted ? undefined : this.#burst.shift()
  }

  async next(): Promise<IteratorResult<ModelEvent>> {
    const event = this.ready()
    if (event !== undefined) return { done: false, value: event }
    if (this.#signal.aborted && this.#burst.length > 0) {
      await this.return()
      throw abortError(this.#signal)
    }
    const { done, value } = await this.#bursts.next()
    if (done) return { done, value: undefined }
    this.#burst = [...value]
    return this.next()
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    this.#burst = []
    await this.#bursts.return()
    return { done: true, value: undefined }
  }
}
