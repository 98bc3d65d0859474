type Container = { value: Record<string, unknown> | unknown[]; key: string; isWatched: boolean }

/** A JSON value that is built while its text is read. */
export class GrowingValue {
  readonly #watched: readonly string[] | undefined
  /** The objects and lists that are open, from the outside in. */
  readonly #open: Container[] = []
  #root: unknown
  #items: unknown[] = []
  #hasGrown = false

  /** @param watched the fields that lead to a list whose items are collected when they are complete */
  constructor(watched: readonly string[] | undefined) {
    this.#watched = watched
  }

  get root(): unknown {
    return this.#root
  }

  /** How many objects and lists are open. */
  get depth(): number {
    return this.#open.length
  }

  get isInList(): boolean {
    return Array.isArray(this.#open.at(-1)?.value)
  }

  /** Sets the field that the next value belongs to. */
  setKey(key: string): void {
    const parent = this.#open.at(-1)
    if (parent) parent.key = key
  }

  add(value: unknown): void {
    this.#hasGrown = true
    const parent = this.#open.at(-1)
    if (!parent) this.#root = value
    else if (Array.isArray(parent.value)) parent.value.push(value)
    // A field named `__proto__` is one like any other, as in `JSON.parse`.
    else Object.defineProperty(parent.value, parent.key, fieldOf(value))
  }

  /** Replaces the value that was added last, a string that grows. */
  replace(value: string): void {
    const parent = this.#open.at(-1)
    if (!parent) return
    this.#hasGrown = true
    if (Array.isArray(parent.value)) parent.value[parent.value.length - 1] = value
    else Object.defineProperty(parent.value, parent.key, fieldOf(value))
  }

  open(value: Container['value']): void {
    const isWatched = Array.isArray(value) && this.#watched !== undefined && this.#isAt(this.#watched)
    this.add(value)
    this.#open.push({ value, key: '', isWatched })
  }

  close(): void {
    this.complete(this.#open.pop()?.value)
  }

  /** Called with each value that has ended. */
  complete(value: unknown): void {
    if (this.#open.at(-1)?.isWatched) this.#items.push(value)
  }

  takeItems(): unknown[] {
    const taken = this.#items
    this.#items = []
    return taken
  }

  /** Whether it has grown since the last call. */
  takeGrowth(): boolean {
    const hasGrown = this.#hasGrown
    this.#hasGrown = false
    return hasGrown
  }

  /** Whether the next value is the one that these fields lead to. */
  #isAt(fields: readonly string[]): boolean {
    return (
      this.#open.length === fields.length &&
      this.#open.every(({ value, key }, index) => !Array.isArray(value) && key === fields[index])
    )
  }
}

function fieldOf(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true }
}
