/**
 * Writes JSON that arrives in pieces as `JSON.stringify` would write its value: without white space between values, with the
 * same escapes and numbers. Each character is read once. What is not JSON comes out as it is, or nearly.
 *
 * @returns a function that takes a piece, and returns what can be written by now
 */
export function compactJSON(): (piece: string) => string {
  let isInString = false
  /** An escape that is not complete. */
  let sequence = ''
  /** The first half of a surrogate pair, as it is or escaped, which waits for the other. */
  let half = ''
  /** A number, or a word such as `true`: the next character may belong to it. */
  let word = ''

  const endHalf = (): string => {
    const written = half === '' ? '' : escapedText(half)
    half = ''
    return written
  }
  /** @returns the character, as soon as its escape is complete */
  const readEscape = (char: string): string => {
    sequence += char
    if (sequence.startsWith('\\u') && sequence.length < 6) return ''
    const decoded = decode(sequence)
    sequence = ''
    if (isFirstHalf(decoded)) {
      const written = endHalf()
      half = decoded
      return written
    }
    const whole = half + decoded
    half = ''
    return escapedText(whole)
  }
  const readString = (text: string): string => {
    const first = half === '' ? '' : text.slice(0, 1)
    // A pair of which only the first half is escaped.
    const written = isSecondHalf(first) ? '' : endHalf()
    const pair = half + text
    half = isFirstHalf(pair.slice(-1)) ? pair.slice(-1) : ''
    return written + (half === '' ? pair : pair.slice(0, -1))
  }
  const readOther = (char: string): string => {
    if (wordCharacter.test(char)) {
      word += char
      return ''
    }
    const written = word === '' ? '' : plainWord(word)
    word = ''
    if (char === '"') isInString = true
    return whiteSpace.has(char) ? written : written + char
  }

  return (piece) => {
    let out = ''
    let at = 0
    while (at < piece.length) {
      const char = piece.charAt(at)
      if (sequence !== '') {
        out += readEscape(char)
        at++
      } else if (!isInString) {
        out += readOther(char)
        at++
      } else if (char === '\\') {
        sequence = char
        at++
      } else if (char === '"') {
        out += `${endHalf()}"`
        isInString = false
        at++
      } else {
        let end = at + 1
        while (end < piece.length && piece[end] !== '"' && piece[end] !== '\\') end++
        out += readString(piece.slice(at, end))
        at = end
      }
    }
    return out
  }
}

const wordCharacter = /[\w+.-]/
const whiteSpace: ReadonlySet<string> = new Set([' ', '\n', '\r', '\t'])

/** What `JSON.parse` makes of an escape; one that it refuses stays as it is. */
function decode(written: string): string {
  try {
    return JSON.parse(`"${written}"`)
  } catch {
    return written
  }
}

function escapedText(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function plainWord(word: string): string {
  try {
    return JSON.stringify(JSON.parse(word))
  } catch {
    return word
  }
}

function isFirstHalf(char: string): boolean {
  return char.length === 1 && char >= '\ud800' && char < '\udc00'
}

function isSecondHalf(char: string): boolean {
  return char.length === 1 && char >= '\udc00' && char < '\ue000'
}
