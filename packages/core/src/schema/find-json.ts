import type { JSONValue } from '../data/message.ts'

export type FoundJSON = { text: string; value: JSONValue }

/** As deep as a model's tool calls may be nested. */
const deepest = 1000
/** Fenced blocks that are looked at, and objects in each stretch of prose: with more of them it is no answer. */
const most = 20

/**
 * The JSON that a model wrote, the last one first: the whole text, what fills a fenced code block, or objects that
 * stand in prose. Only whole ones, and none before one that was cut short: neither is what the model meant.
 */
export function* findJSON(text: string): Generator<FoundJSON> {
  const whole = parseJSON(text.trim())
  if (whole) {
    yield whole
    return
  }
  // Inside JSON no line begins with a fence, as its strings have no line breaks. Prose and fenced blocks take turns.
  const sections = text.split(/^[ \t]*```/m)
  const first = Math.max(0, sections.length - 2 * most)
  for (let index = sections.length - 1; index >= first; index--) {
    const section = sections[index] as string
    const isCut = yield* index % 2 === 1 ? inFence(section) : inProse(section)
    if (isCut) return
  }
}

/** @returns whether it ends within something that was begun */
function* inFence(section: string): Generator<FoundJSON, boolean> {
  // After the fence may stand the name of a language.
  const whole = parseJSON(section.replace(/^\w*/, '').trim())
  if (!whole) return yield* inProse(section)
  yield whole
  return false
}

function* inProse(section: string): Generator<FoundJSON, boolean> {
  const objects = objectsIn(section)
  for (const object of objects?.slice(-most).reverse() ?? []) {
    const found = parseJSON(object)
    if (found) yield found
  }
  return objects === undefined
}

/** What stands in braces that nothing stands around; `undefined` when the text ends before all that it begins. */
function objectsIn(text: string): string[] | undefined {
  const objects: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '{':
      case '[':
        if (depth === 0) start = at
        depth++
        break
      case '}':
      case ']':
        if (depth === 0) break
        depth--
        if (depth === 0 && text[start] === '{') objects.push(text.slice(start, at + 1))
        break
      case '"':
        if (depth > 0) at = endOfString(text, at)
        break
    }
  }
  return depth === 0 ? objects : undefined
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function parseJSON(text: string): FoundJSON | undefined {
  try {
    // JSON.parse gives JSON values only.
    const value = JSON.parse(text) as JSONValue
    return isDeeperThan(deepest, value) ? undefined : { text, value }
  } catch {
    return undefined
  }
}

function isDeeperThan(levels: number, value: JSONValue): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(levels - 1, child))
}
