/** A word of a text, where it stands, and what it is compared by. */
export type Word = { text: string; stem: string; start: number; end: number }

/** The words of a text, in order. */
export function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu), (match) => ({
    text: match[0],
    stem: stem(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** The stems of a text, with camelCase and snake_case names split. */
export function stemsOf(text: string): string[] {
  return wordsOf(splitNames(text)).map((word) => word.stem)
}

/** The stems that mean something: no articles, pronouns, question words. */
export function contentStems(text: string): string[] {
  return wordsOf(splitNames(text))
    .filter((word) => !isStopWord(word.text))
    .map((word) => word.stem)
}

function splitNames(text: string): string {
  return text
    .replace(/_/g, ' ')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
}

const stopWords = new Set(
  (
    'a an the this that these those some any each every i you he she it we they me him her us them my your his its our ' +
    'their mine yours is am are was were be been being do does did done has have had having can could will would shall ' +
    'should may might must of to in on at by for from with without into onto about as than then so and or but if not no ' +
    "yes also too very just only please thanks thank there here what who whom whose which when where why how what's " +
    "who's where's how's it's i'm i'd i'll let let's get give tell show want need like know there's up out over now " +
    "right ok okay hey hi hello kindly don't doesn't isn't aren't can't won't via per s t"
  ).split(' '),
)

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase().replace('’', "'"))
}

const irregular: Record<string, string> = {
  people: 'person',
  children: 'child',
  men: 'man',
  women: 'woman',
  dice: 'die',
  feet: 'foot',
  sent: 'send',
  bought: 'buy',
  found: 'find',
  wrote: 'write',
  written: 'write',
  paid: 'pay',
  said: 'say',
  met: 'meet',
  spent: 'spend',
  built: 'build',
}

const suffixes = ['ation', 'ator', 'ating', 'ated', 'ate', 'ment', 'ing', 'ed', 'er', 'ee', 'ly'] as const

/** What a word is compared by: a light, consistent cut of English endings; not a dictionary form. */
export function stem(word: string): string {
  let cut = word.toLowerCase().replace(/['’]s?$|['’]s$/, '')
  cut = irregular[cut] ?? cut
  if (cut === 'sender' || cut === 'senders') return 'sender'
  if (cut.length <= 3 || /\d/.test(cut)) return cut
  cut = singular(cut)
  cut = cut.replace(/sion$/, 't')
  const suffix = suffixes.find(
    (end) => cut.endsWith(end) && cut.length - end.length >= (end === 'ment' || end === 'ee' ? 4 : 3),
  )
  if (suffix) cut = cut.slice(0, -suffix.length)
  else cut = cut.replace(/tion$/, 't')
  if (cut.length > 3) cut = cut.replace(/e$/, '')
  return cut.replace(/([b-df-hj-np-tv-z])\1$/, '$1')
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word
}
