import { GrowingValue } from './growing-value.ts'

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
 */
export class IncrementalJSON {
  readonly #depth: number
  readonly #value: GrowingValue
  #state: State = 'start'
  /** Of the string, number or word that is being read. */
  #token = ''
  /** The first half of a surrogate pair at the end of it, which waits for the other. */
  #half = ''
  #isKey = false
  #escaped: string | undefined

  /**
   * @param options.depth the most levels
   * @param options.watched the fields that lead to a list whose items are reported when they are complete
   */
  constructor({ depth, watched }: { depth: number; watched?: readonly string[] }) {
    this.#depth = depth
    this.#value = new GrowingValue(watched)
  }

  /** @returns whether the value has grown */
  push(text: string): boolean {
    let at = 0
    if (this.#state === 'start') {
      at = text.indexOf('{')
      if (at === -1) return false
      this.#open({})
      at++
    }
    while (at < text.length && this.#state !== 'end' && this.#state !== 'broken') {
      if (this.#state === 'string') at = this.#readString(text, at)
      else this.#readOther(text.charAt(at++))
    }
    if (this.#state === 'string' && !this.#isKey) this.#value.replace(this.#token)
    return this.#value.takeGrowth()
  }

  /** The value so far; `undefined` before it begins. One object that grows. */
  value(): unknown {
    return this.#value.root
  }

  /** The items that were completed since the last call, of the list that `watched` names. */
  takeItems(): unknown[] {
    return this.#value.takeItems()
  }

  /** @returns where the string ends in this text, or the end of the text */
  #readString(text: string, from: number): number {
    let at = from
    while (at < text.length && this.#state === 'string') {
      const char = text.charAt(at)
      if (this.#escaped !== undefined) this.#readEscape(char)
      else if (char === '\\') this.#escaped = ''
      else if (char === '"') this.#endString()
      else if (char < ' ') this.#state = 'broken'
      else {
        let end = at + 1
        while (end < text.length && isPlain(text.charCodeAt(end))) end++
        this.#addToken(text.slice(at, end))
        at = end
        continue
      }
      at++
    }
    return at
  }

  #readEscape(char: string): void {
    const escaped = this.#escaped + char
    this.#escaped = escaped
    if (escaped === 'u' || (escaped.startsWith('u') && escaped.length < 5)) {
      if (escaped !== 'u' && !/[\da-f]/i.test(char)) this.#state = 'broken'
      return
    }
    const read = escaped.startsWith('u') ? codeOf(escaped, char) : escapes.get(char)
    if (read === undefined) this.#state = 'broken'
    else this.#addToken(read)
    this.#escaped = undefined
  }

  // The last character of a long text that has grown is slow to read: each part is looked at as it arrives.
  #addToken(text: string): void {
    const last = text.charCodeAt(text.length - 1)
    const isHalf = last >= 0xd800 && last < 0xdc00
    this.#token += this.#half + (isHalf ? text.slice(0, -1) : text)
    this.#half = isHalf ? text.slice(-1) : ''
  }

  #endString(): void {
    this.#token += this.#half
    this.#half = ''
    if (this.#isKey) {
      this.#value.setKey(this.#token)
      this.#state = 'colon'
      return
    }
    this.#value.replace(this.#token)
    this.#complete(this.#token)
  }

  #readOther(char: string): void {
    if (this.#state === 'word') {
      if (/[\w+.-]/.test(char)) {
        this.#token += char
        if (this.#token.length > longestWord) this.#state = 'broken'
        return
      }
      if (!this.#endWord()) return
    }
    if (' \n\r\t'.includes(char)) return
    const state = this.#state
    const { isInList } = this.#value
    const isFirst = state === 'first-item' || state === 'first-key'
    if ((isFirst || state === 'next') && char === (isInList ? ']' : '}')) this.#close()
    else if (state === 'first-item' || state === 'value') this.#beginValue(char)
    else if (state === 'next' && char === ',') this.#state = isInList ? 'value' : 'key'
    else if (state === 'colon' && char === ':') this.#state = 'value'
    else if ((state === 'first-key' || state === 'key') && char === '"') this.#beginString(true)
    else this.#state = 'broken'
  }

  #beginValue(char: string): void {
    if (char === '{') this.#open({})
    else if (char === '[') this.#open([])
    else if (char === '"') {
      this.#value.add('')
      this.#beginString(false)
    } else if (/[-\dtfn]/.test(char)) {
      this.#token = char
      this.#state = 'word'
    } else this.#state = 'broken'
  }

  #beginString(isKey: boolean): void {
    this.#token = ''
    this.#isKey = isKey
    this.#state = 'string'
  }

  /** @returns whether it was one */
  #endWord(): boolean {
    const value = wordOf(this.#token)
    if (value === undefined) this.#state = 'broken'
    else {
      this.#value.add(value)
      this.#complete(value)
    }
    return value !== undefined
  }

  #open(value: Record<string, unknown> | unknown[]): void {
    if (this.#value.depth >= this.#depth) {
      this.#state = 'broken'
      return
    }
    this.#value.open(value)
    this.#state = Array.isArray(value) ? 'first-item' : 'first-key'
  }

  #close(): void {
    this.#value.close()
    this.#continue()
  }

  #complete(value: unknown): void {
    this.#value.complete(value)
    this.#continue()
  }

  #continue(): void {
    this.#state = this.#value.depth === 0 ? 'end' : 'next'
  }
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
