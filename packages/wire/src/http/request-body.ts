/** A text is sent as UTF-8. */
export type RequestBody = string | Buffer

/**
 * The JSON of a request's body. The bytes of items that were sent before are kept, so a request of a growing
 * conversation serializes only its new items. The bytes are those of `JSON.stringify(body)`.
 *
 * Items are compared by identity, so none may change once it was sent. Conversions return the same item for a message that
 * cannot have changed, and new ones otherwise.
 */
export function requestBody(body: object): RequestBody {
  const fields = Object.entries(body)
  const index = fields.findIndex(([name, value]) => (name === 'messages' || name === 'input') && isLong(value))
  const [name, items] = (fields[index] ?? []) as [string?, object[]?]
  const list = items && listOf(items)
  if (!items || !list) return JSON.stringify(body)
  const before = fieldsText(fields.slice(0, index))
  const after = fieldsText(fields.slice(index + 1))
  const head = Buffer.from(`{${before}${before && ','}"${name}":[`)
  return Buffer.concat([head, list.bytesOf(items), Buffer.from(`]${after && ','}${after}}`)])
}

/** The most bytes that are kept, of all conversations of this process. */
const mostBytes = 33_554_432

/** A shorter conversation mostly belongs to one run, whose items are new in each request. */
const fewestItems = 64

/** A conversation is found by one of its first items. Some of them, such as instructions, are new in each request. */
const headItems = 4

/**
 * The sent items of a conversation, by its first items. The value is `undefined` for an item of only one request,
 * because it may be new in each.
 */
const lists = new WeakMap<object, SentItems | undefined>()

/** The lists that hold bytes, with their number of bytes, in the order of their last use. */
const kept = new Map<WeakRef<SentItems>, number>()
let keptBytes = 0

function isLong(value: unknown): boolean {
  return Array.isArray(value) && value.length >= fewestItems
}

/** @returns `undefined` where no earlier request had one of the first items */
function listOf(items: readonly object[]): SentItems | undefined {
  const head = items.slice(0, headItems)
  const again = head.filter((item) => lists.has(item))
  const list = again.length === 0 ? undefined : (again.map((item) => lists.get(item)).find(Boolean) ?? new SentItems())
  for (const item of head) if (!lists.get(item)) lists.set(item, list)
  return list
}

/** The JSON of the items of a conversation, as it was sent last, without the brackets around it. */
class SentItems {
  readonly #self = new WeakRef(this)
  #items: object[] = []
  /** The range of each item's JSON. */
  #ranges: { start: number; end: number }[] = []
  #bytes = Buffer.alloc(0)

  constructor() {
    collected.register(this, this.#self)
  }

  bytesOf(items: readonly object[]): Buffer {
    let same = 0
    while (same < items.length && this.#wasSent(items[same] as object, same)) same++
    this.#items.length = same
    this.#ranges.length = same
    if (same < items.length) this.#append(items.slice(same))
    const bytes = this.#bytes.subarray(0, this.#ranges.at(-1)?.end)
    this.#keep()
    return bytes
  }

  #wasSent(item: object, index: number): boolean {
    if (this.#items[index] === item) return true
    const range = this.#ranges[index]
    if (index >= headItems || !range) return false
    if (!this.#bytes.subarray(range.start, range.end).equals(Buffer.from(JSON.stringify(item)))) return false
    this.#items[index] = item
    return true
  }

  #append(items: readonly object[]): void {
    const begin = this.#ranges.at(-1)?.end ?? 0
    let end = begin
    let text = ''
    for (const item of items) {
      const json = JSON.stringify(item)
      const comma = end === 0 ? 0 : 1
      const start = end + comma
      end = start + Buffer.byteLength(json)
      text += comma ? `,${json}` : json
      this.#items.push(item)
      this.#ranges.push({ start, end })
    }
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.ceil(end * 1.25))
      this.#bytes.copy(larger, 0, 0, begin)
      this.#bytes = larger
    }
    this.#bytes.write(text, begin)
  }

  /** Marks the bytes as used last. If there are too many bytes, the least recently used ones are released. */
  #keep(): void {
    keptBytes += this.#bytes.length - (kept.get(this.#self) ?? 0)
    kept.delete(this.#self)
    kept.set(this.#self, this.#bytes.length)
    for (const self of kept.keys()) {
      if (keptBytes <= mostBytes) break
      forget(self)
    }
  }

  clear(): void {
    this.#items = []
    this.#ranges = []
    this.#bytes = Buffer.alloc(0)
  }
}

function forget(self: WeakRef<SentItems>): void {
  keptBytes -= kept.get(self) ?? 0
  kept.delete(self)
  self.deref()?.clear()
}

/** Lists are collected with the items that they are found by. */
const collected = new FinalizationRegistry<WeakRef<SentItems>>(forget)

/** For tests: the bytes that are kept. */
export function keptBodyBytes(): number {
  return keptBytes
}

function fieldsText(fields: readonly [string, unknown][]): string {
  return JSON.stringify(Object.fromEntries(fields)).slice(1, -1)
}
