/**
 * What characters cost in hundredths of a token, on the high side: fitted to nine tokenizers, among them those of GPT,
 * Claude 2, Llama, Mistral, Gemma and Qwen, with room for tokenizers that are not public.
 */
const costs = {
  /** The first letter of a word. A single space before it is part of its token. */
  word: 120,
  /** The index of capitals within `tokenCosts`. */
  camelHump: 110,
  letter: { commonPair: 0, rarePair: 85 },
  capital: { commonPair: 15, rarePair: 85 },
  letterAfterAccent: 60,
  /** Some tokenizers split numbers into digits, and count the space before them separately. */
  digit: 100,
  spaceBeforeDigit: 100,
  symbol: 100,
  symbolAfterSymbol: 80,
  /** All tokenizers have single tokens for long runs of some symbols, and pairs of others, such as brackets. */
  repeatedRuler: 15,
  repeatedSymbol: 55,
  spaceBeforeSymbol: 20,
  furtherSpace: 20,
  spaceAfterNewline: 40,
  spaceAfterScript: 40,
  /** Includes newlines and tabs: some tokenizers have no token for several of them. */
  control: 100,
}

const rulers = '-=_*#./~'

/** Added for each letter from the eighth of a word on. */
export const longWord = { letters: 7, letterCost: 25 }

/** Frequent letter pairs of English and code. Words with other pairs are split into more tokens. */
const commonPairs: Readonly<Record<string, string>> = {
  a: 'cdglmnrst',
  b: 'e',
  c: 'aehot',
  d: 'ei',
  e: 'acdflnrstx',
  f: 'io',
  g: 'e',
  h: 'aeio',
  i: 'cflmnost',
  k: 'e',
  l: 'aeilo',
  m: 'ae',
  n: 'acdegost',
  o: 'dflmnprtuw',
  p: 'aelor',
  q: 'u',
  r: 'aeiost',
  s: 'eiost',
  t: 'aehiorsty',
  u: 'nrst',
  v: 'e',
  w: 'i',
  y: 'o',
}

/**
 * The last code of a range, and the cost of each of its UTF-16 units. The maximum is a token per byte of UTF-8, as for
 * rare scripts, except for a few characters that a tokenizer first expands into several.
 */
const scripts: readonly (readonly [last: number, cost: number])[] = [
  [0x00bf, 150],
  [0x00ff, 120], // é ñ ü
  [0x017f, 150], // č ł ş
  [0x037f, 200],
  [0x03ff, 170], // Greek
  [0x047f, 105], // Cyrillic
  [0x05bf, 220],
  [0x06ff, 150], // Hebrew, Arabic
  [0x08ff, 200],
  [0x097f, 190], // Devanagari
  [0x09ff, 240], // Bengali
  [0x0dff, 315], // Gurmukhi to Sinhala
  [0x0e7f, 205], // Thai
  [0x10ff, 350],
  [0x1dff, 300],
  [0x1eff, 200], // Vietnamese
  [0x1fff, 300],
  [0x203f, 200], // – “ ” …
  [0x2fff, 300],
  [0x303f, 200], // 、。「」
  [0x30ff, 170], // kana
  [0x4dff, 300],
  [0x9fff, 240], // Han
  [0xabff, 300],
  [0xd7ff, 275], // Hangul
  [0xdfff, 200], // surrogates, such as halves of emoji
  [0xffff, 300],
]

/** The class of the character before, if it is beyond ASCII. The codes used are control characters. */
const accent = 0
const script = 1

/** The index is the code of a character beyond ASCII, shifted right by 6. */
export const scriptCosts: Uint16Array = scriptTable()

/** The cost of an ASCII character after another one: the index is `before << 7 | code`. */
export const pairCosts: Uint8Array = new Uint8Array(128 * 128)

/** With the same index: -1 if the character continues a word, 0 otherwise; used as a mask. */
export const wordMasks: Int8Array = new Int8Array(128 * 128)

/** Fills both tables on first use, as most programs never need them at import. */
export function fillPairTables(): void {
  if (pairCosts[0] !== 0) return
  const kinds = Array.from({ length: 128 }, (_, code) => kindOf(code))
  for (let before = 0; before < 128; before++) {
    const after = before === accent ? 'accent' : before === script ? 'script' : (kinds[before] ?? 'symbol')
    kinds.forEach((kind, code) => {
      const continues = continuesWord(after, kind)
      wordMasks[(before << 7) | code] = continues ? -1 : 0
      pairCosts[(before << 7) | code] = costOfPair({ before, code, after, kind, continues })
    })
  }
}

/** The class of a character beyond ASCII, for the character after it. */
export function standIn(code: number): number {
  return (code >= 0xc0 && code < 0x250) || (code >= 0x1e00 && code < 0x1f00) ? accent : script
}

function scriptTable(): Uint16Array {
  const table = new Uint16Array(0x10000 >> 6)
  // An older Node gets as far as the check of its version.
  for (const [last, cost] of [...scripts].reverse()) table.fill(cost, 0, (last + 1) >> 6)
  return table
}

type Kind = 'letter' | 'capital' | 'digit' | 'space' | 'control' | 'symbol'

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return 'letter'
  if (code >= 65 && code <= 90) return 'capital'
  if (code >= 48 && code <= 57) return 'digit'
  if (code === 32) return 'space'
  return code < 32 || code === 127 ? 'control' : 'symbol'
}

type Before = Kind | 'accent' | 'script'

type Pair = { before: number; code: number; after: Before; kind: Kind; continues: boolean }

function costOfPair({ before, code, after, kind, continues }: Pair): number {
  switch (kind) {
    case 'letter':
    case 'capital':
      if (after === 'accent') return costs.letterAfterAccent
      if (after === 'letter' && kind === 'capital') return costs.camelHump
      if (!continues) return costs.word
      return isCommonPair(before, code) ? costs[kind].commonPair : costs[kind].rarePair
    case 'digit':
      return costs.digit + (after === 'space' ? costs.spaceBeforeDigit : 0)
    case 'space':
      if (after === 'space') return costs.furtherSpace
      if (after === 'control') return costs.spaceAfterNewline
      return after === 'script' ? costs.spaceAfterScript : 0
    case 'control':
      return costs.control
    case 'symbol':
      if (code === before)
        return rulers.includes(String.fromCharCode(code)) ? costs.repeatedRuler : costs.repeatedSymbol
      if (after === 'symbol') return costs.symbolAfterSymbol
      return costs.symbol + (after === 'space' ? costs.spaceBeforeSymbol : 0)
  }
}

function continuesWord(after: Before, kind: Kind): boolean {
  if (kind !== 'letter' && kind !== 'capital') return false
  return after === 'accent' || after === 'capital' || (after === 'letter' && kind === 'letter')
}

function isCommonPair(before: number, code: number): boolean {
  const first = String.fromCharCode(before).toLowerCase()
  const second = String.fromCharCode(code).toLowerCase()
  return commonPairs[first]?.includes(second) ?? false
}
