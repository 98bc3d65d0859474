import { grown } from './grown.ts'

/**
 * Looks up the data of a word without creating a string for it: a text has many words, and few distinct ones.
 *
 * The word is `units` from `start` to `end`; `hash` is the hash of these units, computed with `hashUnit`.
 */
export interface KnownWords<Known> {
  find(units: Uint16Array, start: number, end: number, hash: number): Known | undefined
  add(units: Uint16Array, start: number, end: number, hash: number, known: Known): void
}

/** Extends a hash, initially 0, by one code unit. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01_00_01_93)
}

/** The table is emptied at this many words, since the number of distinct words has no limit. */
const mostWords = 1 << 16

/**
 * Uses compact typed arrays: a lookup mostly waits for memory, and objects and strings would be scattered over it. Words
 * are numbered in the order in which they first occur, so frequent words are close to each other.
 */
export function knownWords<Known>(): KnownWords<Known> {
  let words: Known[] = []
  // An open-addressing hash table: for each slot a hash and the word's number, from 1 on.
  let table = new Int32Array(0)
  let places = 0
  // For each word its length, followed by its units.
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
