import { stem } from './tokens.ts'

/** Words that texts use for one another. Other than for names of tools, each must be right wherever it is looked for. */
const groups = [
  'vacation holiday leave',
  'price cost fee',
  'salary wage pay',
  'employee staff worker',
  'sick ill illness',
  'boss manager supervisor',
  'buy purchase',
  'refund reimbursement',
  'phone telephone',
  'email mail',
  'meeting appointment',
  'contract agreement',
  'car vehicle',
].map((group) => group.split(' '))

/** The words that are looked for beside a word. */
export function synonymsOf(word: string): string[] {
  const own = stem(word)
  return groups.flatMap((group) =>
    group.some((one) => stem(one) === own) ? group.filter((one) => stem(one) !== own) : [],
  )
}

/** Whether two stems are the same or stand for one another. */
export function areSynonyms(a: string, b: string): boolean {
  return a === b || groups.some((group) => [a, b].every((one) => group.some((word) => stem(word) === one)))
}
