/** A word of a text, its place, and the stem by which it is compared. */
export type Word = { text: string; stem: string; start: number; end: number }

/** The words of a text, in order. */
export function wordsOf(text: string): Word[] {
  const matches = text.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?/gu)
  return Array.from(matches).flatMap(({ 0: word, index: start }) => {
    if (!unspaced.test(word)) return wordAt(word, start)
    segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
    return Array.from(segmenter.segment(word), ({ segment, index }) => wordAt(segment, start + index))
  })
}

/** Scripts without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
let segmenter: Intl.Segmenter | undefined

function wordAt(text: string, start: number): Word {
  return { text, stem: stem(text), start, end: start + text.length }
}

/** The stems of a name or a description. */
export function stemsOf(text: string): string[] {
  return wordsOf(splitNames(text)).map((word) => word.stem)
}

/** `camelCase` and `snake_case` as words. */
export function splitNames(text: string): string {
  return text.replaceAll('_', ' ').replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
}

/** The stems of the words that carry meaning: no articles, pronouns and question words. */
export function contentStems(text: string): string[] {
  return contentWords(text).map((word) => word.stem)
}

export function contentWords(text: string): Word[] {
  return wordsOf(text).filter((word) => !isStopWord(word.text))
}

const stopWords = new Set(
  (
    'a an the this that these those some any each every i you he she it we they me him her us them my your his its our ' +
    'their mine yours is am are was were be been being do does did done has have had having can could will would shall ' +
    'should may might must of to in on at by for from with without into onto about as than then so and or but if not no ' +
    "yes also too very just only please thanks thank there here what who whom whose which when where why how what's " +
    "who's where's how's it's i'm i'd i'll let let's get give tell show want need like know there's up out over now " +
    "right ok okay hey hi hello kindly don't doesn't isn't aren't can't won't per s t many much moment today tonight " +
    'tomorrow yesterday long far often'
  ).split(' '),
)

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase().replace('’', "'"))
}

/**
 * Words whose stem is not their beginning, or must differ from the stem of another word: "6 times 7" asks for no time.
 */
const irregular = new Map(
  'people person, sent send, bought buy, found find, wrote write, paid pay, sender sender, senders sender, times times'
    .split(', ')
    .map((pair) => pair.split(' ') as [string, string]),
)
/** Endings, and their replacements: "conversion" and "convert", "supply" and "supplier" have one stem. */
const endings = 'ation ator ating ated ate ment ing ed er ly sion:t tion:t y:i e'
  .split(' ')
  .map((one) => one.split(':'))

/** A light cut of English endings, the same for all forms of a word; not its dictionary form. */
export function stem(word: string): string {
  const lower = word.toLowerCase().replace('’', "'")
  const plain = lower.endsWith("'s") ? lower.slice(0, -2) : lower
  const known = irregular.get(plain)
  if (known !== undefined) return known
  if (plain.length <= 3 || /\d/.test(plain)) return plain
  const one = singular(plain)
  const isEnding = (end: string): boolean => one.endsWith(end) && one.length - end.length >= (end === 'er' ? 4 : 3)
  const [end = '', other = ''] = endings.find(([end = '']) => isEnding(end)) ?? []
  const cut = one.slice(0, one.length - end.length) + other
  const isDoubled = (end === 'ing' || end === 'ed') && cut.length > 3 && cut.at(-1) === cut.at(-2)
  return isDoubled ? cut.slice(0, -1) : cut
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (['sses', 'xes', 'zes', 'ches', 'shes'].some((end) => word.endsWith(end))) return word.slice(0, -2)
  return word.endsWith('s') && !'sui'.includes(word.at(-2) ?? 's') ? word.slice(0, -1) : word
}

/** Synonyms in messages, names of tools and files. The list is short, because a group must be valid in any field. */
const groups = (
  'sender from, recipient receiver to, price cost fee, add plus sum total, subtract minus difference, ' +
  'multiply times product, divide divided quotient, calculate calculator math, weather forecast rain umbrella, ' +
  'temperature hot cold warm degrees, email mail, phone telephone, book reserve reservation, ' +
  'meeting appointment event, document doc documentation manual, find search lookup, delete remove erase, ' +
  'define definition meaning, analyze analyst analysis, remind reminder, holiday vacation leave, ' +
  'employee staff worker, salary wage pay, sick ill illness, manager boss supervisor, buy purchase, ' +
  'refund reimbursement, contract agreement'
)
  .split(', ')
  .map((group) => group.split(' '))

const related = new Map<string, string[]>()
for (const group of groups) {
  for (const word of group) related.set(stem(word), [...(related.get(stem(word)) ?? []), ...group.map(stem)])
}

/** The stems of words that are related to a stem, including the stem itself. */
export function relatedStems(stem: string): readonly string[] {
  return related.get(stem) ?? [stem]
}

/** The words that are searched for beside a word. */
export function relatedWords(word: string): string[] {
  const own = stem(word)
  const group = groups.find((one) => one.some((other) => stem(other) === own)) ?? []
  return group.filter((other) => stem(other) !== own && !isStopWord(other))
}
