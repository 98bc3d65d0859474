/** A JSON text that is parsed while it arrives. */
export type IncrementalJSON = {
  /** @returns whether the value has grown */
  push(text: string): boolean
  /** The value so far; `undefined` before it begins. One object that grows. */
  value(): unknown
  /** The items that were completed since the last call, of the list that `watched` names. */
  takeItems(): unknown[]
}

type Container = { value: Record<string, unknown> | unknown[]; key: string; isWatched: boolean }

/** What the next character belongs to. */
type State =
  | 'start'
  | 'value'
  | 'first-item'
  | 'key'
  | 'first-key'
  | 'colon'
  | 'next'
  | 'string'
  | 'word'
  | 'end'
  | 'broken'

/**
 * Parses JSON as it arrives, each character once. Text before the first `{` is skipped, as text after the value. Strings grow; a
 * number or a word is added once it has ended. What `JSON.parse` refuses, or is nested too deep, stops the growth.
 *
 * @param options.depth the most levels
 * @param options.watched the fields that lead to a list whose items are reported when they are complete
 */
export function incrementalJSON({ depth, watched }: { depth: number; watched?: readonly string[] }): IncrementalJSON {
  const stack: Container[] = []
  let state: State = 'start'
  let root: unknown
  let items: unknown[] = []
  /** Of the string, number or word that is being read. */
  let token = ''
  /** The first half of a surrogate pair at the end of it, which waits for the other. */
  let half = ''
  let isKey = false
  let escaped: string | undefined
  let hasGrown = false

  const top = (): Container | undefined => stack.at(-1)
  const set = (value: unknown): void => {
    hasGrown = true
    const parent = top()
    if (!parent) root = value
    else if (Array.isArray(parent.value)) parent.value.push(value)
    // A field named `__proto__` is one like any other, as in `JSON.parse`.
    else Object.defineProperty(parent.value, parent.key, fieldOf(value))
  }
  /** Replaces the string that is growing. */
  const replace = (value: string): void => {
    const parent = top()
    if (!parent) return
    hasGrown = true
    if (Array.isArray(parent.value)) parent.value[parent.value.length - 1] = value
    else Object.defineProperty(parent.value, parent.key, fieldOf(value))
  }
  const ended = (value: unknown): void => {
    if (top()?.isWatched) items.push(value)
    state = stack.length === 0 ? 'end' : 'next'
  }
  const open = (value: Container['value']): void => {
    if (stack.length >= depth) {
      state = 'broken'
      return
    }
    const isList = Array.isArray(value)
    const isWatched = isList && watched !== undefined && isAt(watched)
    set(value)
    stack.push({ value, key: '', isWatched })
    state = isList ? 'first-item' : 'first-key'
  }
  /** Whether the next value is the one that these fields lead to. */
  const isAt = (fields: readonly string[]): boolean =>
    stack.length === fields.length &&
    stack.every(({ value, key }, index) => !Array.isArray(value) && key === fields[index])
  const close = (): void => {
    const closed = stack.pop()
    ended(closed?.value)
  }
  const beginValue = (char: string): void => {
    if (char === '{') open({})
    else if (char === '[') open([])
    else if (char === '"') {
      token = ''
      isKey = false
      set('')
      state = 'string'
    } else if (/[-\dtfn]/.test(char)) {
      token = char
      state = 'word'
    } else state = 'broken'
  }
  /** @returns whether it was one */
  const endWord = (): boolean => {
    const value = wordOf(token)
    if (value === undefined) state = 'broken'
    else {
      set(value)
      ended(value)
    }
    return value !== undefined
  }
  // The last character of a long text that has grown is slow to read: each part is looked at as it arrives.
  const add = (text: string): void => {
    const last = text.charCodeAt(text.length - 1)
    const isHalf = last >= 0xd800 && last < 0xdc00
    token += half + (isHalf ? text.slice(0, -1) : text)
    half = isHalf ? text.slice(-1) : ''
  }
  const endString = (): void => {
    token += half
    half = ''
    if (isKey) {
      const parent = top()
      if (parent) parent.key = token
      state = 'colon'
      return
    }
    replace(token)
    ended(token)
  }
  const readEscape = (char: string): void => {
    escaped += char
    if (escaped === 'u' || (escaped?.startsWith('u') && escaped.length < 5)) {
      if (escaped !== 'u' && !/[\da-f]/i.test(char)) state = 'broken'
      return
    }
    const read = escaped?.startsWith('u') ? codeOf(escaped, char) : escapes.get(char)
    if (read === undefined) state = 'broken'
    else add(read)
    escaped = undefined
  }
  /** @returns where the string ends in this text, or the end of the text */
  const readString = (text: string, from: number): number => {
    let at = from
    while (at < text.length && state === 'string') {
      const char = text.charAt(at)
      if (escaped !== undefined) readEscape(char)
      else if (char === '\\') escaped = ''
      else if (char === '"') endString()
      else if (char < ' ') state = 'broken'
      else {
        let end = at + 1
        while (end < text.length && isPlain(text.charCodeAt(end))) end++
        add(text.slice(at, end))
        at = end
        continue
      }
      at++
    }
    return at
  }
  const readOther = (char: string): void => {
    if (state === 'word') {
      if (/[\w+.-]/.test(char)) {
        token += char
        if (token.length > longestWord) state = 'broken'
        return
      }
      if (!endWord()) return
    }
    if (' \n\r\t'.includes(char)) return
    const inList = Array.isArray(top()?.value)
    const isFirst = state === 'first-item' || state === 'first-key'
    if ((isFirst || state === 'next') && char === (inList ? ']' : '}')) close()
    else if (state === 'first-item' || state === 'value') beginValue(char)
    else if (state === 'next' && char === ',') state = inList ? 'value' : 'key'
    else if (state === 'colon' && char === ':') state = 'value'
    else if ((state === 'first-key' || state === 'key') && char === '"') {
      token = ''
      isKey = true
      state = 'string'
    } else state = 'broken'
  }

  return {
    push(text) {
      hasGrown = false
      let at = 0
      if (state === 'start') {
        at = text.indexOf('{')
        if (at === -1) return false
        open({})
        at++
      }
      while (at < text.length && state !== 'end' && state !== 'broken') {
        if (state === 'string') at = readString(text, at)
        else readOther(text.charAt(at++))
      }
      if (state === 'string' && !isKey) replace(token)
      return hasGrown
    },
    value: () => root,
    takeItems() {
      const taken = items
      items = []
      return taken
    },
  }
}

function fieldOf(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true }
}

/** No number has more digits that count. */
const longestWord = 1_000

function wordOf(word: string): unknown {
  try {
    return JSON.parse(word)
  } catch {
    return undefined
  }
}

function isPlain(code: number): boolean {
  return code !== 0x22 && code !== 0x5c && code >= 0x20
}

function codeOf(escaped: string, last: string): string | undefined {
  return /[\da-f]/i.test(last) ? String.fromCharCode(Number.parseInt(escaped.slice(1), 16)) : undefined
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])
