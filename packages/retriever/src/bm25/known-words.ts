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

/** A power of two. When half of them are taken all is forgotten, as there is no end of words. */
const places = 1 << 17

export function knownWords<Known>(): KnownWords<Known> {
  // Words in the places that their hashes say, or in the next ones that were free.
  let words: (Known | undefined)[] = []
  let count = 0
  // In typed arrays, as objects and strings would lie all over the memory: of each place the hash, and where the word
  // is spelt, which is 0 where there is none.
  const table = new Int32Array(places * 2)
  // Each word's length, and then its units.
  let spelling = new Uint16Array(1 << 14)
  let spelt = 1

  const isSpelt = (at: number, units: Uint16Array, start: number, end: number): boolean => {
    const length = end - start
    if (spelling[at] !== length) return false
    for (let unit = 0; unit < length; unit++) if (units[start + unit] !== spelling[at + 1 + unit]) return false
    return true
  }

  return {
    find(units, start, end, hash) {
      for (let place = placeOf(hash); ; place = nextOf(place)) {
        const at = table[place * 2 + 1] ?? 0
        if (at === 0) return undefined
        if (table[place * 2] === hash && isSpelt(at, units, start, end)) return words[place]
      }
    },

    add(units, start, end, hash, known) {
      if (count === 0 || count >= places / 2) {
        words = new Array<Known | undefined>(places).fill(undefined)
        table.fill(0)
        count = 0
        spelt = 1
      }
      let place = placeOf(hash)
      while (table[place * 2 + 1] !== 0) place = nextOf(place)
      while (spelt + 1 + end - start > spelling.length) spelling = grown(spelling)
      table[place * 2] = hash
      table[place * 2 + 1] = spelt
      spelling[spelt] = end - start
      spelling.set(units.subarray(start, end), spelt + 1)
      spelt += 1 + end - start
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
