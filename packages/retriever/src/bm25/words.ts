import { stemmer } from 'stemmer'
import { betweenHumps } from '../util/humps.ts'
import { plainDigits } from '../util/plain-digits.ts'
import { withoutArticle } from '../util/without-article.ts'
import { withoutDots } from '../util/without-dots.ts'
import { withoutLongEnd } from '../util/without-long-end.ts'
import { likelyNoun, withoutParticle } from '../util/without-particle.ts'
import { hashUnit } from './known-words.ts'
import { stopWords } from './stop-words.ts'
import { currentVocabulary, type Vocabulary, type Word } from './vocabulary.ts'

/** Calls `visit` for each word of a text, in order. `visit` must not call this function. */
export function eachWord(
  text: string,
  visit: (word: Word) => void,
  vocabulary: Vocabulary = currentVocabulary(),
): void {
  const { known } = vocabulary
  const end = text.length
  const units = unitsOf(text)
  let at = 0
  while (at < end) {
    // The hot loop of indexing: it visits each code unit once, and looks up only unknown words.
    let unit = units[at] ?? 0
    let kind = kindOfUnit[unit] ?? kinds.unknown
    if (kind === kinds.unknown) kind = kindAt(text, at)
    if (kind === kinds.none || kind === kinds.joiner) {
      at++
      continue
    }
    const start = at
    let hash = 0
    let isSegmented = false
    for (;;) {
      if (kind === kinds.segmented) isSegmented = true
      hash = hashUnit(hash, unit)
      if (++at >= end) break
      unit = units[at] ?? 0
      kind = kindOfUnit[unit] ?? kinds.unknown
      if (kind === kinds.unknown) kind = kindAt(text, at)
      if (kind === kinds.none) break
      if (kind !== kinds.joiner) continue
      const joined = joinedBy(text, at)
      if (joined === 0) break
      for (let more = 1; more < joined; more++) {
        hash = hashUnit(hash, unit)
        unit = units[++at] ?? 0
      }
    }
    if (isSegmented) for (const part of segmentsOf(text.slice(start, at))) visit(vocabulary.wordOf(analyse(part)))
    else visit(known.find(units, start, at, hash) ?? learn(text.slice(start, at), units, start, hash, vocabulary))
  }
}

let room = new Uint16Array(1 << 13)
let bytesOfRoom = Buffer.from(room.buffer)

/** The code units of a text: much faster to read than a string, which may be a concatenation of several. */
function unitsOf(text: string): Uint16Array {
  if (text.length > room.length) {
    room = new Uint16Array(text.length * 2)
    bytesOfRoom = Buffer.from(room.buffer)
  }
  bytesOfRoom.write(text, 'utf16le')
  return room
}

/** The class of a character in a word. A joiner is part of a word only between characters that it joins. */
const kinds = { none: 0, letter: 1, digit: 2, segmented: 3, joiner: 4, unknown: 255 } as const

const joiners = "'’‘ʼ-\u2010\u2011\u00ad.,"
const isLetter = /[\p{L}\p{M}_]/u
const isDigit = /\p{N}/u
/** Scripts without spaces between words. */
const isSegmented = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const kindOfUnit = new Uint8Array(0x1_0000).fill(kinds.unknown)

function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  const known = kindOfUnit[unit] ?? kinds.none
  if (known !== kinds.unknown) return known
  if (unit >= 0xd800 && unit <= 0xdfff) {
    const code = text.codePointAt(unit >= 0xdc00 ? at - 1 : at) ?? 0
    return code > 0xffff ? kindOf(String.fromCodePoint(code)) : kinds.none
  }
  const kind = kindOf(String.fromCharCode(unit))
  kindOfUnit[unit] = kind
  return kind
}

function kindOf(character: string): number {
  if (joiners.includes(character)) return kinds.joiner
  if (isSegmented.test(character)) return kinds.segmented
  if (isLetter.test(character)) return kinds.letter
  return isDigit.test(character) ? kinds.digit : kinds.none
}

/** The number of characters from `at` on that join the text before them to the text after them; 0 when they separate it. */
function joinedBy(text: string, at: number): number {
  const before = kindAt(text, at - 1)
  const after = at + 1 < text.length ? kindAt(text, at + 1) : kinds.none
  switch (text[at]) {
    case '.':
    case ',':
      return before === kinds.digit && after === kinds.digit ? 1 : 0
    case '-':
    case '\u2010':
    case '\u2011':
      // A word that is hyphenated at the end of a line.
      if (before === kinds.letter && /^\r?\n\p{Ll}/u.test(text.slice(at + 1, at + 5)))
        return text[at + 1] === '\r' ? 3 : 2
      if (before === kinds.digit && after === kinds.digit) return 0
      return after === kinds.letter || after === kinds.digit ? 1 : 0
    case '\u00ad':
      return after === kinds.letter ? 1 : 0
    default:
      return before === kinds.letter && after === kinds.letter ? 1 : 0
  }
}

let segmenter: Intl.Segmenter | undefined

function segmentsOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFKC'))) if (isWordLike) words.push(segment)
  return words
}

const longestKnown = 40

function learn(slice: string, units: Uint16Array, start: number, hash: number, vocabulary: Vocabulary): Word {
  const word = vocabulary.wordOf(analyse(slice))
  if (slice.length <= longestKnown) vocabulary.known.add(units, start, start + slice.length, hash, word)
  return word
}

type Analysed = Pick<Word, 'terms' | 'length'>

const isPlain = /^(?:[a-z]+|[A-Z][a-z]*|[A-Z]+|[0-9]+)$/
const isASCII = /^[\0-\x7f]*$/

function analyse(raw: string): Analysed {
  if (isPlain.test(raw)) return single(raw.toLowerCase())
  const text = isASCII.test(raw) ? raw : fold(raw)
  if (/\d[.,]\d/.test(text)) return numberWord(text.toLowerCase())

  const parts = text
    .replace(/(?<=\p{L})['’‘ʼ]s$/iu, '')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .flatMap((part) => part.split(betweenHumps))
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase().replaceAll('ς', 'σ'))
  const whole = parts.join('')
  if (whole === '') return { terms: [], length: 0 }
  if (stopWords.has(whole)) return single(whole)
  if (parts.length === 1) {
    const noun = likelyNoun(whole)
    return noun === whole ? single(whole) : { terms: [termOf(noun), termOf(whole)], length: 1 }
  }
  const terms = new Set(parts.map(termOf))
  terms.add(termOf(whole))
  return { terms: [...terms], length: parts.length }
}

function single(word: string): Analysed {
  return { terms: [termOf(word)], length: stopWords.has(word) ? 0 : 1 }
}

/** `3.14` and `1,000` are one word each, and `2.1` finds `v2.1`. */
function numberWord(text: string): Analysed {
  const plain = withoutDots(text)
  // Its parts too, because `1234,56` is two words.
  if (plain !== text) return { terms: [...new Set([plain, ...plain.split('.')])], length: 1 }
  const whole = text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, '').replace(/[^\p{L}\p{N}.]+/gu, ' ')
  const terms = new Set<string>()
  for (const part of whole.split(' ')) {
    if (part === '') continue
    terms.add(termOf(part))
    const number = part.match(/^\p{L}+(\d.*)$/u)?.[1]
    if (number !== undefined) terms.add(termOf(number))
  }
  return { terms: [...terms], length: 1 }
}

/** Ranges of combining marks that may be dropped: diacritics, and the vowel signs of Hebrew and Arabic. */
const marks = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u00ad]/g
const ligatures: Readonly<Record<string, string>> = { ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'Ae', œ: 'oe', Œ: 'Oe', ø: 'o' }
const strokes: Readonly<Record<string, string>> = {
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
}
const special = new RegExp(`[${Object.keys({ ...ligatures, ...strokes }).join('')}]`, 'g')

/**
 * A word without diacritics, and without an article or particles that are written together with it: `Größe` as `Grosse`.
 * The case is kept.
 */
function fold(word: string): string {
  const folded = word
    .normalize('NFKD')
    .replace(marks, '')
    .replace(special, (letter) => ligatures[letter] ?? strokes[letter] ?? letter)
    .normalize('NFC')
  return withoutParticle(withoutLongEnd(withoutArticle(plainDigits(folded))))
}

const longestTerm = 64

function termOf(word: string): string {
  if (word.length > longestTerm) return word.slice(0, longestTerm).toWellFormed()
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word
}
