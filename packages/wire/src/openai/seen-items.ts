/** The fields that are read; servers omit any of them, and send null for any of them. */
export type StreamEvent = {
  type?: string
  object?: string
  output_index?: number
  item_id?: string
  summary_index?: number
  delta?: unknown
  arguments?: unknown
  item?: OutputItem | null
  response?: ResponseObject | null
  error?: unknown
}
export type ResponseObject = {
  status?: string | null
  output?: (OutputItem | null)[] | null
  usage?: unknown
  error?: unknown
  incomplete_details?: { reason?: string | null } | null
}
export type OutputItem = {
  type?: string
  id?: string
  call_id?: string
  name?: string
  arguments?: unknown
  phase?: string | null
  content?: ({ type?: string; text?: string; refusal?: string } | null)[] | null
  summary?: { type?: string; text?: string }[] | null
  encrypted_content?: string | null
}
/** The state of one output item, identified by its position: some proxies send another id with each event. */
export type SeenItem = {
  item: OutputItem
  /** From its first delta where no event has begun the item. */
  type: string | undefined
  ids: Set<string>
  emitted: boolean
  argumentsText: string
  done: boolean
}

/** The items of an answer that its events have named. */
export class SeenItems {
  readonly #items: SeenItem[] = []
  /** The items by position, else by id: llama.cpp sends no position, and identifies calls by the call id only. */
  readonly #byKey = new Map<number | string, SeenItem>()

  get size(): number {
    return this.#items.length
  }

  [Symbol.iterator](): IterableIterator<SeenItem> {
    return this.#items.values()
  }

  /** @param type of the item, if the event does not contain the item */
  of(event: StreamEvent, type?: string): SeenItem {
    const { output_index, item_id, item } = event
    const key = output_index ?? item_id ?? item?.id ?? item?.call_id ?? 0
    const known = this.#byKey.get(key)
    const seen = known && !beginsAnother(known, event) ? known : newItem()
    if (seen !== known) {
      this.#items.push(seen)
      this.#byKey.set(key, seen)
    }
    for (const id of [item_id, item?.id, item?.call_id])
      if (id && id.length <= mostIdChars && seen.ids.size < mostIds) seen.ids.add(id)
    seen.type ??= item?.type ?? type
    return seen
  }

  /**
   * The items of the last event with their state: by id, else by position among the items of their type. The position
   * among all would emit an answer twice where a proxy lists other items than it has streamed.
   */
  matched(output: readonly OutputItem[]): [OutputItem, SeenItem][] {
    const unmatched = new Set(this.#items)
    const byId = new Map([...unmatched].flatMap((seen) => [...seen.ids].map((id) => [id, seen] as const)))
    const take = (seen: SeenItem | undefined): SeenItem | undefined =>
      seen && unmatched.delete(seen) ? seen : undefined
    const matches = output.map(({ id = '', call_id = '' }) => take(byId.get(id) ?? byId.get(call_id)))
    const byType = Map.groupBy(unmatched, ({ type }) => type)
    return output.map((item, index) => [item, matches[index] ?? byType.get(item.type)?.shift() ?? newItem()])
  }
}

/** Whether an event begins another item at the position of one that has ended: some servers give all items the same. */
function beginsAnother({ done, ids }: SeenItem, { type, item }: StreamEvent): boolean {
  return done && type === 'response.output_item.added' && ![item?.id, item?.call_id].some((id) => id && ids.has(id))
}

function newItem(): SeenItem {
  return { item: {}, type: undefined, ids: new Set(), emitted: false, argumentsText: '', done: false }
}

/** Limits for ids that are kept to match items by. */
const mostIds = 8
const mostIdChars = 1_024
