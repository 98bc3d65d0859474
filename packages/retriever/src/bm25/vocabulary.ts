import type { TimeSlices } from '../util/time-slices.ts'
import { KnownWords } from './known-words.ts'
import { sortTerms } from './sort-terms.ts'

/** A word of a text, as it is indexed and searched. */
export type Word = {
  /** The terms of the word: its stem; for a compound the stems of its parts and of the whole. */
  terms: readonly string[]
  /** How many words it counts as. Stop words count as none. */
  length: number
  /** The number of the first term in the vocabulary, from 0 on; -1 when there is none. A field of its own for speed. */
  number: number
  /** The numbers of the other terms. */
  others: readonly number[]
}

/** The number of terms, and of words, at which a vocabulary is full: there is no limit of distinct words. */
const most = 1 << 16
/** The length from which on V8 makes a part of a text that keeps all of the text in memory. */
const shortestPart = 13

const none: readonly number[] = []

/** Numbers the terms of texts, and caches words, because computing stems is slow. */
export class Vocabulary {
  /** The terms by their numbers. */
  readonly terms: string[] = []
  readonly known: KnownWords<Word> = new KnownWords()
  readonly #numbers = new Map<string, number>()
  /** The numbers of the terms that were there at the last `inOrder`, as it returned them. */
  #order: readonly number[] = []

  /** Whether the next text should have another vocabulary. */
  get isFull(): boolean {
    return this.terms.length >= most || this.known.size >= most
  }

  wordOf({ terms, length }: Pick<Word, 'terms' | 'length'>): Word {
    const numbers = terms.map((term) => this.#number(term))
    const [number = -1, ...others] = numbers
    const own = numbers.map((each) => this.terms[each] ?? '')
    return { terms: own, length, number, others: others.length === 0 ? none : others }
  }

  /** The numbers of all terms, in the order of `sortTerms`. */
  async inOrder(slices: TimeSlices): Promise<readonly number[]> {
    const known = this.#order
    if (known.length === this.terms.length) return known
    const fresh = await sortTerms(this.terms.slice(known.length), slices)
    const order: number[] = []
    let place = 0
    for (const term of fresh) {
      for (; place < known.length && this.#termAt(known, place) < term; place++) order.push(known[place] ?? 0)
      order.push(this.#number(term))
      if (slices.isOver) await slices.next()
    }
    for (; place < known.length; place++) order.push(known[place] ?? 0)
    // Another call may have been faster.
    if (order.length > this.#order.length) this.#order = order
    return order
  }

  #termAt(order: readonly number[], place: number): string {
    return this.terms[order[place] ?? 0] ?? ''
  }

  #number(term: string): number {
    const known = this.#numbers.get(term)
    if (known !== undefined) return known
    const own = term.length < shortestPart ? term : Buffer.from(term, 'utf16le').toString('utf16le')
    const number = this.terms.push(own) - 1
    this.#numbers.set(own, number)
    return number
  }
}

let current = new Vocabulary()

/** A vocabulary that is not full, for all texts of the process. */
export function currentVocabulary(): Vocabulary {
  if (current.isFull) current = new Vocabulary()
  return current
}
