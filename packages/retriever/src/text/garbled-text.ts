/** Judges a text that arrives in parts. */
export interface TextJudge {
  add(text: string): void
  /** The problem of the text; undefined when there is none. */
  problem(): string | undefined
}

/** Fewer of them occur in texts about them, or in truncated text. */
const fewest = 3

/** Detects text whose characters were lost, or decoded with the wrong encoding, before it was saved. */
export function createTextJudge(): TextJudge {
  let length = 0
  let lost = 0
  let mistaken = 0
  let apart = 0

  return {
    add(text) {
      length += text.length
      // Much faster than a regular expression when there are none.
      for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) lost++
      apart += lettersApart(text)
      if (leads.test(text)) mistaken += text.match(pairs)?.length ?? 0
    },
    problem() {
      if (lost >= fewest && lost * 100 > length) {
        return `${Math.round((lost / length) * 100)} % of its characters are lost: it was saved in another encoding than it was read in.`
      }
      if (mistaken >= fewest && mistaken * 250 > length) {
        return 'Its characters were mistaken for others ("Ã©" for "é"): save it as UTF-8 from its source once more.'
      }
      if (isApart(apart, length)) {
        return 'The letters of its words stand apart ("l e t t e r"), so that they are not found: run OCR over its source again.'
      }
      return undefined
    },
  }
}

/** The number of letters in runs of four or more single letters. */
export function lettersApart(text: string): number {
  if (!/ \S \S /.test(text)) return 0
  return (text.match(rowsOfLetters) ?? []).reduce((sum, row) => sum + Math.ceil(row.length / 2), 0)
}

/** Whether these are a third of the text: a smaller share is a heading, or the answers to a test. */
export function isApart(letters: number, length: number): boolean {
  return letters >= 12 && letters * 6 > length
}

const scripts = ['Latin', 'Greek', 'Cyrillic', 'Arabic', 'Hebrew', 'Armenian', 'Georgian']
const letter = `[${scripts.map((script) => `\\p{Script=${script}}`).join('')}]`
// Bounded, because a longer run overflows the stack of the regular expression.
const rowsOfLetters = new RegExp(`(?<!\\S)${letter}(?: ${letter}){3,1000}(?!\\S)`, 'gu')

// UTF-8 that was decoded as Windows-1252: its continuation bytes are characters that follow no letter.
const later = '[\\u0080-\\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]'
const leads = /[ÂÃÐÑâ]/
const pairs = new RegExp(`[ÂÃÐÑ]${later}|â(?:€|${later}{2})`, 'g')
