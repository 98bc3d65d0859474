import { grown } from './grown.ts'

/**
 * Finds what is known of a word without making a string of it: there are many words, and few different ones.
 *
 * A word stands in `units` from `start` to `end`, and its `hash` is that of these units, by `hashUnit`.
 */
export interface KnownWords<Known> {
  find(units: Uint16Array, start: number, end: number, hash: number): Known | undefined
  add(units: Uint16Array, start: number, end: number, hash: number, known: Known): void
}

/** The hash of what came before, which is 0 at first, and of one more unit. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01_00_01_93)
}

/** With so many all is forgotten, as there is no end of words. */
const mostWords = 1 << 16

/**
 * In typed arrays, as small as can be: to look a word up is to wait for the memory. Objects and strings would lie all
 * over it; so words are numbered as they come, by which those that are met often lie together.
 */
export function knownWords<Known>(): KnownWords<Known> {
  let words: Known[] = []
  // In the places that the hashes say, or in the next ones that were free: a hash, and the word's number, from 1 on.
  let table = new Int32Array(0)
  let places = 0
  // Of each word its length, and then its units.
  let spelling = new Uint16Array(1 << 14)
  let starts = new Uint32Array(1 << 10)
  let spelt = 0

  const isSpelt = (number: number, units: Uint16Array, start: number, end: number): boolean => {
    const at = starts[number] ?? 0
    const length = end - start
    if (spelling[at] !== length) return false
    for (let unit = 0; unit < length; unit++) if (units[start + unit] !== spelling[at + 1 + unit]) return false
    return true
  }
  const put = (hash: number, number: number): void => {
    let place = placeOf(hash, places)
    while (table[place * 2 + 1] !== 0) place = (place + 1) & (places - 1)
    table[place * 2] = hash
    table[place * 2 + 1] = number
  }
  const grow = (): void => {
    const before = table
    places = Math.max(places * 2, 1 << 12)
    table = new Int32Array(places * 2)
    for (let at = 0; at < before.length; at += 2) if (before[at + 1] !== 0) put(before[at] ?? 0, before[at + 1] ?? 0)
  }

  return {
    find(units, start, end, hash) {
      if (places === 0) return undefined
      for (let place = placeOf(hash, places); ; place = (place + 1) & (places - 1)) {
        const number = table[place * 2 + 1] ?? 0
        if (number === 0) return undefined
        if (table[place * 2] === hash && isSpelt(number, units, start, end)) return words[number - 1]
      }
    },

    add(units, start, end, hash, known) {
      if (words.length >= mostWords) {
        words = []
        table.fill(0)
        spelt = 0
      }
      if (words.length * 3 >= places * 2) grow()
      const number = words.push(known)
      if (number >= starts.length) starts = grown(starts)
      while (spelt + 1 + end - start > spelling.length) spelling = grown(spelling)
      starts[number] = spelt
      spelling[spelt] = end - start
      spelling.set(units.subarray(start, end), spelt + 1)
      spelt += 1 + end - start
      put(hash, number)
    },
  }
}

function placeOf(hash: number, places: number): number {
  return (hash ^ (hash >>> 15)) & (places - 1)
}
