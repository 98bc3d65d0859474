import type { ModelEvent } from '@agentkit/core'
import { redactSecrets } from '@agentkit/core/internal'

/** A copy of plain data with all secrets in its texts removed. */
export function scrubbed<Value>(value: Value): Value {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  const clean = scrubTexts(texts)
  let index = 0
  return mapTexts(value, () => clean[index++] ?? '') as Value // only texts change
}

/** A separator that occurs in no secret. */
const gap = '\u0000\u0001\u0000'

/** All texts at once: each search for secrets reads the whole environment. */
function scrubTexts(texts: readonly string[]): string[] {
  const clean = redactSecrets(texts.join(gap)).split(gap)
  return clean.length === texts.length ? clean : texts.map((text) => redactSecrets(text))
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [key, isName(value, key) ? item : mapTexts(item, change)]))
}

/** Names of tools and calls are not secrets, whatever they look like, and a run needs them. */
function isName(parent: object, key: string): boolean {
  if (key !== 'name' && key !== 'callId') return false
  const { type, role } = parent as { type?: unknown; role?: unknown } // only read
  return type === 'tool-call' || role === 'tool' || 'inputSchema' in parent
}

type Delta = Extract<ModelEvent, { text: string }>

/** The events of an answer without secrets, including secrets that are split over several events. */
export function scrubEvents(bursts: readonly ModelEvent[][]): ModelEvent[][] {
  const clean = scrubbed(bursts.map((burst) => [...burst]))
  const originals = deltasOf(bursts)
  for (const [text, deltas] of deltasOf(clean)) scrubPieces(deltas, originals.get(text) ?? [])
  return clean
}

/** The pieces of each text: of the answer, of the reasoning, and of the arguments of each call. */
function deltasOf(bursts: readonly ModelEvent[][]): Map<string, Delta[]> {
  // A model that violates the contract may emit anything.
  const deltas = bursts.flat().filter((event): event is Delta => isDelta(event) && typeof event.text === 'string')
  return Map.groupBy(deltas, (delta) => `${delta.type} ${'callId' in delta ? delta.callId : ''}`)
}

function isDelta(event: ModelEvent | null): event is Delta {
  return event?.type === 'text-delta' || event?.type === 'reasoning-delta' || event?.type === 'tool-input-delta'
}

/** The number of pieces is kept: when the text becomes shorter, the last ones are empty. */
function scrubPieces(clean: readonly Delta[], original: readonly Delta[]): void {
  const text = redactSecrets(original.map((delta) => delta.text).join(''))
  let start = 0
  for (const [index, delta] of clean.entries()) {
    const end = index === clean.length - 1 ? text.length : start + (original[index]?.text.length ?? 0)
    delta.text = text.slice(start, end)
    start = end
  }
}
