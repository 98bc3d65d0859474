import type { Chunk } from './chunks.ts'

/** The step and the block that are open in a UI message stream. */
export class OpenParts {
  #isInStep = false
  #blocks = 0
  #open: { kind: 'text' | 'reasoning'; id: string } | undefined
  #hasText = false

  get hasText(): boolean {
    return this.#hasText
  }

  beginStep(): Chunk[] {
    const chunks = this.closeStep()
    this.#isInStep = true
    return [...chunks, { type: 'start-step' }]
  }

  closeStep(): Chunk[] {
    const chunks = this.closeBlock()
    if (this.#isInStep) chunks.push({ type: 'finish-step' })
    this.#isInStep = false
    return chunks
  }

  /** Adds to the open block, or to a new one. */
  add(kind: 'text' | 'reasoning', delta: string): Chunk[] {
    const chunks = this.#open?.kind === kind ? [] : this.closeBlock()
    if (!this.#open) {
      this.#open = { kind, id: `${kind}-${++this.#blocks}` }
      chunks.push({ type: `${kind}-start`, id: this.#open.id })
    }
    if (kind === 'text') this.#hasText = true
    chunks.push({ type: `${kind}-delta`, id: this.#open.id, delta })
    return chunks
  }

  closeBlock(): Chunk[] {
    const closed = this.#open
    this.#open = undefined
    return closed ? [{ type: `${closed.kind}-end`, id: closed.id }] : []
  }
}
