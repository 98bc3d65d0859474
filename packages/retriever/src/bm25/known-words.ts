/** What is remembered of a word, by the word as it stands in a text. */
export type Remembered = { raw: string; hash: number }

/** Finds what is known of a word without making a string of it: there are many words, and few different ones. */
export interface KnownWords<Known extends Remembered> {
  /** @param hash of the units of the text from `start` to `end`, by `hashUnit` */
  find(text: string, start: number, end: number, hash: number): Known | undefined
  add(known: Known): void
}

/** The hash of what came before, which is 0 at first, and of one more unit. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01_00_01_93)
}

/** A power of two. When half of them are taken all is forgotten, as there is no end of words. */
const places = 1 << 17

export function knownWords<Known extends Remembered>(): KnownWords<Known> {
  // Words in the places that their hashes say, or in the next ones that were free.
  let words: (Known | undefined)[] = []
  let count = 0

  return {
    find(text, start, end, hash) {
      if (count === 0) return undefined
      for (let place = placeOf(hash); ; place = nextOf(place)) {
        const word = words[place]
        if (word === undefined) return undefined
        if (word.hash === hash && isAt(text, start, end, word.raw)) return word
      }
    },

    add(known) {
      if (count === 0 || count >= places / 2) {
        words = new Array<Known | undefined>(places).fill(undefined)
        count = 0
      }
      let place = placeOf(known.hash)
      while (words[place] !== undefined) place = nextOf(place)
      words[place] = known
      count++
    },
  }
}

function placeOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (places - 1)
}

function nextOf(place: number): number {
  return (place + 1) & (places - 1)
}

function isAt(text: string, start: number, end: number, raw: string): boolean {
  const length = end - start
  if (raw.length !== length) return false
  for (let at = 0; at < length; at++) if (text.charCodeAt(start + at) !== raw.charCodeAt(at)) return false
  return true
}
