import { type Frame, type Item, indexOf } from './response-items.ts'

/** The items of a response. */
export class ResponseOutput {
  items: Item[] = []
  /** Numbers of items that were given, over all responses of the run: a response that is read later has the same. */
  #numbers = 0
  /** Items of this response that have begun. */
  #begun = 0
  #stepStart = 0

  newId(prefix: string, runId: string): string {
    return `${prefix}_${runId}_${this.#numbers++}`
  }

  begin(item: Item): { frame: Frame; index: number } {
    const index = this.#begun++
    this.items.push(item)
    return { index, frame: { type: 'response.output_item.added', output_index: index, item: structuredClone(item) } }
  }

  end(item: Item, index: number): Frame {
    return { type: 'response.output_item.done', output_index: index, item: structuredClone(item) }
  }

  remove(item: Item | undefined): void {
    this.items = this.items.filter((each) => each !== item)
  }

  beginStep(): void {
    this.#stepStart = this.#numbers
  }

  isOfStep(item: Item): boolean {
    return indexOf(item) >= this.#stepStart
  }

  removeStep(): void {
    this.items = this.items.filter((item) => !this.isOfStep(item))
  }

  /** From now on, the items belong to the next response of the run. */
  beginNext(): void {
    this.#begun = 0
    this.beginStep()
    this.items = []
  }
}
