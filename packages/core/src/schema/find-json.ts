import type { JSONValue } from '../data/message.ts'

export type FoundJSON = { text: string; value: JSONValue }

/** The deepest nesting of an answer, as of the arguments of tool calls. */
const deepest = 1000
/** The most fenced blocks, and the most objects in each section of prose, that are read: more of them are no answer. */
const most = 20

/**
 * The JSON in a model's text, last first: the whole text, the content of fenced code blocks, or objects in prose. Only
 * complete JSON counts, and none before JSON that is cut off: neither is the answer. A bracket in prose may stay open.
 */
export function* findJSON(text: string): Generator<FoundJSON> {
  const whole = parseJSON(text.trim())
  if (whole) {
    yield whole
    return
  }
  // Inside JSON no line begins with a fence, as its strings have no line breaks. Prose and fenced blocks alternate.
  const sections = text.split(/^[ \t]*```/m)
  const first = Math.max(0, sections.length - 2 * most)
  for (let index = sections.length - 1; index >= first; index--) {
    const section = sections[index] as string
    const isCut = yield* index % 2 === 1 ? inFence(section) : inProse(section)
    if (isCut) return
  }
}

/** @returns whether the text ends within an unfinished value */
function* inFence(section: string): Generator<FoundJSON, boolean> {
  // The fence may be followed by the name of a language.
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

/** The outermost objects in braces; `undefined` when the text ends within JSON. */
function objectsIn(text: string): string[] | undefined {
  // Only a text that ends within brackets may have brackets of prose, such as those of `[0, 1)`, that are never closed.
  return withinBrackets(text, () => true) ?? withinBrackets(text, (start) => beginsJSON(text, start))
}

/** The first characters of an object with fields, or of a list of objects. */
const beginning = /\{\s*(?:["}]|$)|\[\s*(?:[[{]|$)/y

function beginsJSON(text: string, start: number): boolean {
  beginning.lastIndex = start
  return beginning.test(text)
}

/**
 * The outermost objects; `undefined` when the text ends within brackets.
 * @param counts whether the outermost bracket at this place counts
 */
function withinBrackets(text: string, counts: (start: number) => boolean): string[] | undefined {
  const objects: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '{':
      case '[':
        if (depth === 0 && !counts(at)) break
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
    // JSON.parse returns JSON values only.
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
