import type { ModelEvent } from '@agentkit/core'
import { redactSecrets } from '@agentkit/core/internal'

/** A copy of plain data without secrets, in whatever text they stand. */
export function scrubbed<Value>(value: Value): Value {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  const clean = scrubTexts(texts)
  let index = 0
  return mapTexts(value, () => clean[index++] ?? '') as Value // texts stay texts, and all else stays as it is
}

/** Nothing that is no secret stands in a secret. */
const gap = '\u0000\u0001\u0000'

/** All at once: to look for secrets, the whole environment is read. */
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

/** What tools and calls are called is no secret, whatever it looks like, and a run could not go on without it. */
function isName(parent: object, key: string): boolean {
  if (key !== 'name' && key !== 'callId') return false
  const { type, role } = parent as { type?: unknown; role?: unknown } // looked at only
  return type === 'tool-call' || role === 'tool' || 'inputSchema' in parent
}

type Delta = Extract<ModelEvent, { text: string }>

/** The events of an answer without secrets, also without those that come in pieces. */
export function scrubEvents(bursts: readonly ModelEvent[][]): ModelEvent[][] {
  const clean = scrubbed(bursts.map((burst) => [...burst]))
  for (const type of ['text-delta', 'reasoning-delta'] as const) {
    scrubPieces(deltasOf(clean, type), deltasOf(bursts, type))
  }
  return clean
}

function deltasOf(bursts: readonly ModelEvent[][], type: Delta['type']): Delta[] {
  // A model that breaks the rules may tell anything.
  return bursts.flat().filter((event): event is Delta => event?.type === type && typeof event.text === 'string')
}

/** As many pieces as there were: what is shorter without a secret leaves the last ones empty. */
function scrubPieces(clean: readonly Delta[], said: readonly Delta[]): void {
  const text = redactSecrets(said.map((delta) => delta.text).join(''))
  let start = 0
  for (const [index, delta] of clean.entries()) {
    const end = index === clean.length - 1 ? text.length : start + (said[index]?.text.length ?? 0)
    delta.text = text.slice(start, end)
    start = end
  }
}
