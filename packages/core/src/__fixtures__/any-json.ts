import type { Random } from './random.ts'

const words = [null, true, false, 0, -1, 1.5e300, 1e-7, 123456789]

/** A random JSON value whose texts and names of fields are among these, nested at most so deep. */
export function anyJSON(random: Random, texts: readonly string[], depth: number): unknown {
  const kind = random.below(depth > 0 ? 4 : 2)
  if (kind === 0) return random.pick(words)
  if (kind === 1) return random.pick(texts)
  const items = Array.from({ length: random.below(4) }, () => anyJSON(random, texts, depth - 1))
  // `fromEntries` makes `__proto__` a field, as `JSON.parse` does.
  return kind === 2 ? items : Object.fromEntries(items.map((item) => [random.pick(texts), item]))
}
