import type { Filling } from './fill-arguments.ts'
import { findLanguages, unitName } from './known-names.ts'
import type { MessageText } from './message-text.ts'
import { areRelated, relatedStems } from './related-words.ts'
import { isStopWord, stem, type Word } from './tokens.ts'
import { isCommonVerb, type ToolWords } from './tool-words.ts'

/** How much of a message's wording speaks for a tool. */
export type Evidence = {
  total: number
  /** How many of its words are the tool's or an argument, and how many are neither. */
  explained: number
  unexplained: number
}

/** Sums what each of the message's words tells of the tool; words that all tools share tell little. */
export function weighEvidence(
  message: MessageText,
  words: ToolWords,
  filling: Filling,
  signs: readonly string[],
  rarity: (stem: string) => number,
): Evidence {
  const seen = new Set<string>()
  let total = 0
  let explained = 0
  let unexplained = 0
  for (const { stem: word, part } of stemsOfMessage(message, filling, signs)) {
    if (seen.has(word)) continue
    seen.add(word)
    // "2 + 2" is for a calculator of anything, not for one of body mass.
    const isOther = part === 'sign' && word === 'calcul' && !words.takesExpression
    const found = isOther ? undefined : weightOf(word, words)
    if (found || part === 'argument' || part === 'value') explained++
    else if (part !== 'sign' && part !== 'hint' && !/\d/.test(word)) unexplained++
    if (found) total += found.weight * rarity(found.word) * shareOf(part, found.weight)
  }
  return { total: total + coverage(words, seen), explained, unexplained }
}

/** A word of the message, or what a shape or sign in it stands for, by the part that it has. */
type Said = { stem: string; part: 'wording' | 'argument' | 'value' | 'rest' | 'sign' | 'hint' }

function stemsOfMessage(message: MessageText, { chosen }: Filling, signs: readonly string[]): Said[] {
  const { words, spans } = message
  // "ORD-66" speaks for no tool about orders.
  const opaque = spans.filter(
    ({ kind, text }) => /^(?:quoted|url|email|hex|uuid)$/.test(kind) || (kind === 'code' && /\d/.test(text)),
  )
  const isOpaque = (word: Word): boolean => opaque.some(({ start, end }) => word.start >= start && word.end <= end)
  const partOf = (word: Word): Said['part'] => {
    const taken = chosen.find(({ start, end }) => word.start >= start && word.end <= end)
    if (!taken) return 'wording'
    if (taken.kind === 'rest') return 'rest'
    return taken.isSpecific ? 'argument' : 'value'
  }
  return [
    ...words
      .filter((word) => !isStopWord(word.text) && !isOpaque(word))
      .map((word): Said => ({ stem: word.stem, part: partOf(word) })),
    ...chosen.filter(({ kind }) => shapes.has(kind)).map(({ kind }): Said => ({ stem: stem(kind), part: 'argument' })),
    ...signs.map((sign): Said => ({ stem: sign, part: hints.has(sign) ? 'hint' : 'sign' })),
  ]
}

/** How much a word counts. An argument speaks for a tool only a little: "Paris" in a description is an example. */
function shareOf(part: Said['part'], weight: number): number {
  // What is left over for a text may hold the very word that chooses the tool.
  if (part === 'rest') return weight >= 0.5 ? 0.8 : 0.3
  if (part === 'hint') return 0.6
  return part === 'argument' ? 0.3 : 1
}

/** Arguments whose shape says what they are: an address stands for the word "url". */
const shapes = new Set<string>(['phone', 'url', 'email', 'ip', 'path', 'uuid'])

/** Signs that also stand where something else is meant: "How many points has Chelsea?" */
const hints = new Set(['count', 'pric'])

/** Signs that say what is wanted as a word would. */
const signPatterns: [RegExp, string][] = [
  [/\d\s*(?:\+|plus)\s*\d/i, 'add'],
  [/\d\s+(?:[-−]|minus)\s+\d/i, 'subtract'],
  [/\d\s*(?:[*×]|times|multiplied by)\s*\d|\b(?!0x)\d+\s?x\s?\d/i, 'multiply'],
  [/\d\s*(?:[/÷]|divided by|over)\s*\d/i, 'divid'],
  [/\d\s*(?:[-+*/×÷^]|plus|minus|times|divided by|% of)\s*[\d(]/, 'calcul'],
  [/\b(?:sqrt|square root|cube root)\b/i, 'calcul'],
  [/\bhow many\b/i, 'count'],
  [/\bhow (?:much|expensive)\b/i, 'pric'],
  [/\bget (?:from|to)\b/i, 'rout'],
  [/\d\s?°/, 'temperatur'],
  [/[$€£¥]\s?\d|\d\s?[$€£¥]/, 'currency'],
  [/\bto [A-Z]{3}\b|\bin [A-Z]{3}\b/, 'convert'],
]

/** Two currencies, a language to put a text into, and two units of which one has a number say what is wanted too. */
export function signsOf({ text, words, spans }: MessageText): string[] {
  const intoLanguage = findLanguages(text).some(({ start }) => /\b(?:in|into|to)\s$/i.test(text.slice(0, start)))
  const hasCurrencies = spans.filter(({ kind }) => kind === 'currency').length > 1
  const isQuoted = spans.some(({ kind }) => kind === 'quoted')
  const counted = spans.filter(({ kind }) => kind === 'unit').flatMap((span) => unitName(span.text) ?? [])
  const units = new Set(
    words.filter((word) => word.text.length > 1 && !isStopWord(word.text)).flatMap((word) => unitName(word.text) ?? []),
  )
  return [
    ...signPatterns.flatMap(([sign, stem]) => (sign.test(text) ? [stem] : [])),
    ...(hasCurrencies ? ['currency'] : []),
    ...(intoLanguage && isQuoted ? ['transl'] : []),
    ...(counted.length > 0 && [...units, ...counted].some((unit) => unit !== counted[0]) ? ['unit', 'convert'] : []),
  ]
}

function weightOf(stem: string, { weights }: ToolWords): { word: string; weight: number } | undefined {
  const found = relatedStems(stem).flatMap((word) => {
    const own = weights.get(word)
    return own === undefined ? [] : [{ word, weight: word === stem ? own : own * 0.8 }]
  })
  return found.reduce<(typeof found)[number] | undefined>(
    (best, one) => (best === undefined || one.weight > best.weight ? one : best),
    undefined,
  )
}

/** Tells of a word how much it chooses: 1 for a word of one tool, less for a word of several. */
export function rarityAmong(tools: readonly ToolWords[]): (stem: string) => number {
  const known = new Map<string, number>()
  return (stem) => {
    const before = known.get(stem)
    if (before !== undefined) return before
    const sharing = tools.filter(({ weights }) => (weights.get(stem) ?? 0) >= 0.15).length
    const rarity = Math.log(1 + tools.length / Math.max(1, sharing)) / Math.log(1 + tools.length)
    known.set(stem, rarity)
    return rarity
  }
}

/** A name that is said whole, or but for a verb such as "get", is plainly meant. */
function coverage({ name }: ToolWords, said: ReadonlySet<string>): number {
  const nouns = [...name].filter((word) => !isCommonVerb(word))
  const telling = nouns.length === 0 ? [...name] : nouns
  if (telling.length === 0) return 0
  const found = telling.filter((word) => [...said].some((stem) => areRelated(stem, word)))
  return (found.length / telling.length) * 0.3
}
