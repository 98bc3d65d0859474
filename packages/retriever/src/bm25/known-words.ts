import { grown } from './grown.ts'

/** Extends a hash, initially 0, by one code unit. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01_00_01_93)
}

/**
 * Looks up the data of a word without creating a string for it: a text has many words, and few distinct ones.
 *
 * The word is `units` from `start` to `end`; `hash` is the hash of these units, computed with `hashUnit`.
 *
 * Uses compact typed arrays: a lookup mostly waits for memory, and objects and strings would be scattered over it. Words
 * are numbered in the order in which they first occur, so frequent words are close to each other.
 */
export class KnownWords<Known> {
  readonly #words: Known[] = []
  // An open-addressing hash table: for each slot a hash and the word's number, from 1 on.
  #table: Int32Array = new Int32Array(1 << 13)
  #places = 1 << 12
  // For each word its length, followed by its units.
  #spelling: Uint16Array = new Uint16Array(1 << 14)
  #starts: Uint32Array = new Uint32Array(1 << 10)
  #spelt = 0

  /** The number of words. */
  get size(): number {
    return this.#words.length
  }

  find(units: Uint16Array, start: number, end: number, hash: number): Known | undefined {
    const table = this.#table
    for (let place = placeOf(hash, this.#places); ; place = (place + 1) & (this.#places - 1)) {
      const number = table[place * 2 + 1] ?? 0
      if (number === 0) return undefined
      if (table[place * 2] === hash && this.#isSpelt(number, units, start, end)) return this.#words[number - 1]
    }
  }

  add(units: Uint16Array, start: number, end: number, hash: number, known: Known): void {
    if (this.#words.length * 3 >= this.#places * 2) this.#grow()
    const number = this.#words.push(known)
    if (number >= this.#starts.length) this.#starts = grown(this.#starts)
    while (this.#spelt + 1 + end - start > this.#spelling.length) this.#spelling = grown(this.#spelling)
    this.#starts[number] = this.#spelt
    this.#spelling[this.#spelt] = end - start
    this.#spelling.set(units.subarray(start, end), this.#spelt + 1)
    this.#spelt += 1 + end - start
    this.#put(hash, number)
  }

  #isSpelt(number: number, units: Uint16Array, start: number, end: number): boolean {
    const spelling = this.#spelling
    const at = this.#starts[number] ?? 0
    const length = end - start
    if (spelling[at] !== length) return false
    for (let unit = 0; unit < length; unit++) if (units[start + unit] !== spelling[at + 1 + unit]) return false
    return true
  }

  #put(hash: number, number: number): void {
    let place = placeOf(hash, this.#places)
    while (this.#table[place * 2 + 1] !== 0) place = (place + 1) & (this.#places - 1)
    this.#table[place * 2] = hash
    this.#table[place * 2 + 1] = number
  }

  #grow(): void {
    const before = this.#table
    this.#places *= 2
    this.#table = new Int32Array(this.#places * 2)
    for (let at = 0; at < before.length; at += 2)
      if (before[at + 1] !== 0) this.#put(before[at] ?? 0, before[at + 1] ?? 0)
  }
}

function placeOf(hash: number, places: number): number {
  return (hash ^ (hash >>> 15)) & (places - 1)
}
