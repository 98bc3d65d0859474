/** A tag of HTML or JSX. */
export type Tag = {
  /** Empty for a fragment, `<>`. */
  name: string
  isClosing: boolean
  isSelfClosing: boolean
  attributes: string
  /** The position after its `>`. */
  end: number
}

/** Reads the tags of one text. */
export interface TagReader {
  /** The tag that starts at a `<`. */
  read(at: number): Tag | undefined
}

const longestTag = 20_000

/** @param source the text; failed attempts consume a budget, which bounds the time for any text */
export function createTagReader(source: string): TagReader {
  let budget = source.length * 4 + longestTag

  return {
    read(at) {
      if (budget < 0) return undefined
      const last = Math.min(at + longestTag, source.length)
      const end = findEnd(source, at, last)
      if (end < 0) {
        budget += end
        return undefined
      }
      const isClosing = source[at + 1] === '/'
      const isSelfClosing = source[end - 2] === '/'
      const inner = source.slice(at + (isClosing ? 2 : 1), end - (isSelfClosing && !isClosing ? 2 : 1))
      const name = /^[\w.:-]*/.exec(inner)?.[0] ?? ''
      return { name, isClosing, isSelfClosing: isSelfClosing && !isClosing, attributes: inner.slice(name.length), end }
    },
  }
}

/** The position after the tag; negative for the length that was examined without success. */
function findEnd(source: string, at: number, last: number): number {
  const start = source[at + 1] === '/' ? at + 2 : at + 1
  const first = source.charCodeAt(start)
  if (!isLetter(first) && source[start] !== '>') return -1
  let depth = 0
  let before = ''
  for (let index = start; index < last; index++) {
    const sign = source.charAt(index)
    if ((sign === '"' || sign === "'" || sign === '`') && (depth > 0 || before === '=')) {
      const close = source.indexOf(sign, index + 1)
      // Within braces it may be an apostrophe.
      if (close < 0 || close >= last) return at - last - 1
      index = close
    } else if (sign === '{') depth++
    else if (sign === '}') depth--
    else if (depth === 0 && sign === '<') return at - index - 1
    else if (depth === 0 && sign === '>') return index + 1
    if (sign !== ' ' && sign !== '\n' && sign !== '\t') before = sign
  }
  return at - last - 1
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

/** Matches attributes, also in objects that a component receives: `items={[{ title: 'One' }]}`. */
const attribute =
  /(?<=^|[\s{,])([\w-]+(?::[\w-]+)*)\s{0,9}[=:]\s{0,9}(?:"([^"]*)"|'([^']*)'|\{\s{0,9}(?:"([^"{}]*)"|'([^'{}]*)'|`([^`{}]*)`)\s{0,9}\})/g
const spoken = /^(?:title|label|alt|description|caption|summary|heading|subtitle|aria-label)$/i
const technical = /^(?:class|classname|style|rel|allow|sizes|srcset|d|transform|points|viewbox|on\w+|data-.*)$/i

/** The readable text of a tag's attributes; an attribute of a component counts if it has more than one word. */
export function spokenAttributes({ name, attributes }: Tag): string[] {
  if (!attributes.includes('=')) return []
  const isComponent = /^[A-Z]/.test(name)
  const values: string[] = []
  for (const [, key = '', ...groups] of attributes.matchAll(attribute)) {
    const value = groups.find((group) => group !== undefined)?.trim() ?? ''
    const isProse = isComponent && !technical.test(key) && (key === 'name' || hasWords(value))
    if (value !== '' && (spoken.test(key) || isProse) && !values.includes(value)) values.push(value)
  }
  return values
}

/** Whether two words in a row have letters. A regular expression would take quadratic time. */
function hasWords(text: string): boolean {
  const words = text.split(/\s+/).map((word) => /\p{L}/u.test(word))
  return words.some((isWord, index) => isWord && words[index + 1] === true)
}
