import { alphabetShare } from './alphabets.ts'
import { textDecoder } from './text-decoder.ts'

/**
 * The most likely encoding of text that is not Unicode, as a label for TextDecoder. Judged by the characters that the
 * text would contain, so a few words are enough. Among similar encodings, the encoding whose letters belong to one
 * language is preferred. After that chardet's statistics decide, which need about a page of text.
 */
export async function guessEncoding(sample: Uint8Array): Promise<string> {
  const rated = narrowEncodings
    .map(({ name, common }) => ({ name, rate: rateOf(sample, name, new Set(common)) }))
    .sort((a, b) => b.rate - a.rate)
  const best = rated[0]?.rate ?? 0
  const wide = guessWide(sample)
  if (wide !== undefined && best < 0.85) return wide
  const rare = rareEncodings.find(({ name, common, below }) => {
    return best < below && rateOf(sample, name, new Set(common)) > best + 0.25
  })
  if (rare !== undefined) return rare.name
  if (best < 0) return 'windows-1252'
  const alike = ofOneLanguage(
    sample,
    rated.filter(({ rate }) => rate > best - 0.05).map(({ name }) => name),
  )
  const hasStatistics = alike.length > 1 && sample.filter((byte) => byte > 127).length >= fewestForStatistics
  const { analyse } = hasStatistics ? await import('chardet') : { analyse: () => [] }
  for (const { name } of analyse(sample)) {
    const guess = alike.find((one) => (families[name] ?? name).includes(one))
    if (guess !== undefined) return guess
  }
  return narrowEncodings.find(({ name }) => alike.includes(name))?.name ?? 'windows-1252'
}

/** The number of characters that are not ASCII from which on chardet is asked. */
const fewestForStatistics = 8

function ofOneLanguage(sample: Uint8Array, names: readonly string[]): string[] {
  const shares = names.map((name) => alphabetShare(textDecoder(name).decode(sample), name))
  const most = Math.max(...shares)
  return names.filter((_, place) => (shares[place] ?? 0) > most - 0.02)
}

/** Alternatives to chardet's guess: it knows few Windows encodings. */
const families: Readonly<Record<string, readonly string[]>> = {
  'ISO-8859-1': ['windows-1252'],
  'ISO-8859-2': ['windows-1250', 'iso-8859-2'],
  'ISO-8859-6': ['windows-1256'],
  'ISO-8859-7': ['windows-1253'],
  'ISO-8859-8': ['windows-1255'],
  'ISO-8859-9': ['windows-1254'],
  'KOI8-R': ['koi8-u'],
}

/** Double-byte encodings with the lead bytes of their common characters; the narrowest first. */
const wideEncodings: readonly { name: string; common: readonly (readonly [number, number])[] }[] = [
  {
    name: 'shift_jis',
    common: [
      [0x81, 0x83],
      [0x88, 0x97],
    ],
  },
  {
    name: 'euc-kr',
    common: [
      [0xa1, 0xa1],
      [0xb0, 0xc8],
    ],
  },
  {
    name: 'big5',
    common: [
      [0xa1, 0xa1],
      [0xa4, 0xc6],
    ],
  },
  {
    name: 'euc-jp',
    common: [
      [0xa1, 0xa1],
      [0xa4, 0xa5],
      [0xb0, 0xcf],
    ],
  },
  {
    name: 'gb18030',
    common: [
      [0xa1, 0xa1],
      [0xa3, 0xa3],
      [0xb0, 0xd7],
    ],
  },
]

function guessWide(sample: Uint8Array): string | undefined {
  let best: { name: string; share: number } | undefined
  for (const { name, common } of wideEncodings) {
    const share = shareOfCommonPairs(sample, name, common)
    if (share > 0.7 && share > (best?.share ?? 0) + 0.03) best = { name, share }
  }
  return best?.name
}

/** The share of common pairs; 0 for invalid pairs, and for single pairs, which are accented letters. */
function shareOfCommonPairs(sample: Uint8Array, name: string, common: readonly (readonly [number, number])[]): number {
  const leastTrail = name === 'shift_jis' || name === 'big5' ? 0x40 : name === 'gb18030' ? 0x30 : 0xa1
  let pairs = 0
  let commonPairs = 0
  let neighbours = 0
  let broken = 0
  let lastEnd = -1
  for (let at = 0; at < sample.length; at++) {
    const lead = sample[at] ?? 0
    if (lead < 0x80) continue
    // Japanese has half-width letters of one byte.
    if (name === 'shift_jis' && lead >= 0xa1 && lead <= 0xdf) continue
    const trail = sample[at + 1] ?? leastTrail
    if (trail < leastTrail || trail === 0x7f || trail === 0xff) broken++
    pairs++
    if (common.some(([from, to]) => lead >= from && lead <= to)) commonPairs++
    if (lastEnd === at) neighbours++
    lastEnd = at + 2
    at++
  }
  const isText = pairs > 0 && broken * 50 <= pairs && neighbours * 3 >= pairs
  return isText ? commonPairs / pairs : 0
}

const western = 'éèàçêëäöüßñóíáúåøæãõâôîûïœùìòðþýÉÄÖÜÅØ¿¡ºªµ'
const cyrillic = 'оеаинтсрвлкмдпуяі'
const central = 'ěščřžýáíéůúňďťľĺŕôąćęłńóśźżőűöüäăâîşţđ'

/** Single-byte encodings with their most frequent letters. The most likely first. */
const narrowEncodings: readonly { name: string; common: string }[] = [
  { name: 'windows-1252', common: western },
  { name: 'windows-1251', common: cyrillic },
  { name: 'windows-1250', common: central },
  { name: 'windows-1254', common: 'ışğçöüİâə' },
  { name: 'windows-1253', common: 'αοιετσνηυρπκμλςίάόήέ' },
  { name: 'windows-1255', common: 'יוהלארתבמשנםדקן' },
  { name: 'windows-1256', common: 'اليمنوترهبدعسفحكقةجشأخطص' },
  { name: 'windows-1257', common: 'āēīšžčūėąęįųģķļņõäöü' },
  { name: 'koi8-u', common: 'оеаинтсрвлкмдпуяії' },
  { name: 'iso-8859-2', common: central },
  { name: 'windows-874', common: 'านรกอเงมยลวดทสตะปบคหแจพช่ไ้ำีัิืใ็' },
]

/**
 * Encodings of old programs, such as Excel's "CSV (Macintosh)" and MS-DOS: used only if all others have a worse rate.
 * They are not tried if another encoding has the rate `below` or more, because curly quotes of windows-1252 are letters
 * on a Mac.
 */
const rareEncodings: readonly { name: string; common: string; below: number }[] = [
  { name: 'macintosh', common: western, below: 0.5 },
  { name: 'ibm866', common: cyrillic, below: 1 },
  { name: 'iso-8859-5', common: cyrillic, below: 1 },
]

const typographic = new Set('“”„‘’‚–—…•€£§°·²³´®©™«»\u00a0')
/** Signs that are never next to a letter. */
const apart = new Set('×÷±¹¼½¾¢¥¤¶†‡‰¬¦')
/** Signs that are next to letters or numbers, in the encodings that list them as common. */
const ofWords = new Set('¿¡ºªµ')

/** The score of an encoding: 1 when all non-ASCII characters are common in it, below 0 for noise. */
function rateOf(sample: Uint8Array, encoding: string, common: ReadonlySet<string>): number {
  let count = 0
  let sum = 0
  const signs = textDecoder(encoding).decode(sample)
  for (let at = 0; at < signs.length; at++) {
    const sign = signs.charAt(at)
    if (sign <= '\u007f') continue
    count++
    sum += rateSign(sign, signs.charAt(at - 1), signs.charAt(at + 1), common)
  }
  return count === 0 ? 0 : sum / count
}

function rateSign(sign: string, before: string, after: string, common: ReadonlySet<string>): number {
  if (ofWords.has(sign)) return common.has(sign) ? 1 : 0
  if (typographic.has(sign)) return 0.5
  if (/[\p{C}\ufffd]/u.test(sign)) return -5
  const isAlone = !/\p{L}/u.test(before) && !/\p{L}/u.test(after)
  if (isAlone && apart.has(sign)) return 0.5
  if (!/[\p{L}\p{M}]/u.test(sign)) return -1
  // Such a sign is a letter in other encodings.
  if (isAlone) return common.has(sign) ? 0.3 : 0
  // Accented letters are next to plain letters; letters of other scripts form whole words.
  const isLatin = /\p{Script=Latin}/u.test(sign)
  if (isLatin ? before > '\u007f' && /\p{L}/u.test(before) : /[a-z]/i.test(before + after))
    return common.has(sign) ? 0 : -0.5
  const lower = sign.toLowerCase()
  // A capital within a word indicates a wrong encoding.
  if (lower !== sign && /\p{Ll}/u.test(before)) return -1
  return common.has(sign) ? 1 : common.has(lower) ? 0.8 : 0
}
