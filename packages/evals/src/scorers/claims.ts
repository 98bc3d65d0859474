/** A sentence of an answer that says something which its sources must contain. */
export type Claims = { sentence: string; claims: string[] }

/** More of an answer is not checked. */
const mostChars = 200_000

/**
 * The sentences of an answer that have a number, a date or a name, with these.
 *
 * A name is a word in capitals, or that begins with one and is not the first of its sentence, or several such words in a
 * row. A word that usually begins sentences, as in "Ask Ada Berg.", is not a part of a name there. In German, where every
 * noun has a capital, one such word is no name. References such as `[2]`, numbers of lists, marks of headings and the names of `files` are not claims.
 */
export function claimsOf(text: string, files: readonly string[] = []): Claims[] {
  let clean = text.slice(0, mostChars)
  // The longest first: one name may begin another.
  for (const file of files.toSorted((one, other) => other.length - one.length)) clean = clean.replaceAll(file, ' ')
  clean = clean
    .replaceAll(/\[\^?\d{1,4}\]/g, ' ')
    .replaceAll(/^[ \t]*(?:\d{1,4}[.)]|[-*+>]|#{1,6})[ \t]+/gm, '')
    // An underscore within a word is a part of it. A run of them is tried once, from its first one.
    .replaceAll(/[*`]+|(?<![\p{L}\p{N}_])_+|(?<!_)_+(?![\p{L}\p{N}_])/gu, '')
  const isInGerman = isGerman(clean)
  return sentencesOf(clean)
    .map((sentence) => ({ sentence, claims: claimsIn(sentence, isInGerman) }))
    .filter(({ claims }) => claims.length > 0)
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

function sentencesOf(text: string): string[] {
  const lines = text.split(/\n+/)
  return lines.flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment.trim())).filter(Boolean)
}

function claimsIn(sentence: string, isInGerman: boolean): string[] {
  const numbers = numbersIn(sentence)
  const words = [...sentence.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.&-]*/gu)]
  const names: string[] = []
  let run: string[] = []
  let runStart = 0
  const isCommon = (word: string, index: number): boolean =>
    commonWords.has(word) || (isInGerman && germanWords.has(word)) || (index === 0 && firstWords.has(word))
  const close = (): void => {
    const isStart = runStart === 0
    const word = run[0] ?? ''
    if (run.length > 1 || isAcronym(word) || (run.length === 1 && !isStart && !isInGerman)) names.push(run.join(' '))
    run = []
  }
  let end = 0
  for (const [index, match] of words.entries()) {
    // From the start of a run of marks only, which a try from each of them would read again.
    const word = match[0].replace(/(?<![.'’&-])[.'’&-]+$|['’]s$/u, '')
    const follows = /^\s*$/.test(sentence.slice(end, match.index))
    if (run.length > 0 && !follows) close()
    end = match.index + word.length
    if (isCapital(word) && !isCommon(word.toLowerCase(), index)) {
      if (run.length === 0) runStart = index
      run.push(word)
    } else close()
  }
  close()
  return [...new Set([...numbers, ...names])]
}

/** The numbers of a sentence, with the letters before them: "A4" is not a 4. Letters behind one may be its unit, as in "5km". */
function numbersIn(sentence: string): string[] {
  return [...sentence.matchAll(/\d+(?:[.,:/-]\d+)*/g)].map(({ 0: number, index }) => {
    let start = index
    while (isLetter(sentence[start - 1] ?? '')) start--
    return sentence.slice(start, index) + number
  })
}

function isCapital(word: string): boolean {
  return /^\p{Lu}/u.test(word)
}

function isAcronym(word: string): boolean {
  return /^\p{Lu}[\p{Lu}\p{N}]+$/u.test(word)
}

/** Words that begin sentences and parts of them, and words that English always writes with a capital. */
const commonWords = wordsOf(
  'a an and are as at but by can did do does for from had has have he her here his how i if in is it its no not of on or our she so some that the their there these they this those to was we were what when where which who why with yes you your',
)

/** More words that are no names where they begin a sentence, and often are within one, as in "Call of Duty". */
const firstWords = wordsOf(
  'about above according across add after against all along also although among another any apply around ask be because before behind below besides between beyond both bring buy call check choose click close compare contact consider create despite download during each either email enter even every except finally find first follow get give go however install instead into just keep last later let like likewise look make many meanwhile meet more moreover most much near neither next nor note now once one only open order otherwise over pay per perhaps phone please press put read remember report run see select send set several share show since sign similarly start still stop such take talk tell than then therefore though through thus today together tomorrow too towards try turn two under unless unlike until upon use via view visit wait whether while within without write yesterday yet',
)

/** Without those that English has too. */
const germanWords = wordsOf(
  'aber als auch auf aus bei beim bis da damit dann das dass dem den der des die dies diese diesem diesen dieser dieses du durch ein eine einem einen einer eines er es für gegen hat hatte ich ihr ihre im ist ja jede jeder kann kein keine laut mehr mit nach nein nicht noch nur oder seit sich sie sind sowie über um und unter vom von vor wann weil wenn werden wie wird wir wo wurde wurden zu zum zur',
)
const englishWords = wordsOf(
  'and are for from has have is it its of on or that the their they this to were which with you',
)

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

/** Whether more words of a text are frequent German ones than frequent English ones. */
function isGerman(text: string): boolean {
  let lead = 0
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    if (germanWords.has(word)) lead++
    else if (englishWords.has(word)) lead--
  }
  return lead > 0
}

/** A text in the form in which claims and quotes are compared. 1,250 and 1250 are one number. */
export function normalized(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[‐‑–—]/g, '-')
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * Whether a quote contains a claim as a whole: "12" is neither in "2012" nor in "A12", and is in "12km".
 * @param text the quote, {@link normalized} once for all claims
 */
export function hasClaim(text: string, claim: string): boolean {
  const wanted = normalized(claim)
  const isFirstDigit = isDigit(wanted[0] ?? '')
  const isLastDigit = isDigit(wanted.at(-1) ?? '')
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + wanted.length]]
    const next = text.slice(at + wanted.length, at + wanted.length + 2)
    // 3.5 is not 3, and 3. at the end of a sentence is.
    const continues = isDigit(after) || (isLastDigit ? /^[.,:]\d/.test(next) : isLetter(after))
    const continued =
      isLetter(before) || (isFirstDigit && (isDigit(before) || /\d[.,:]$/.test(text.slice(Math.max(0, at - 2), at))))
    if (!continues && !continued) return true
  }
  return false
}

/** A letter of a script that has words with spaces between them: in Chinese, digits stand between letters. */
function isLetter(char: string): boolean {
  return /^[\p{Lu}\p{Ll}\p{Lt}]$/u.test(char)
}

function isDigit(char: string): boolean {
  return /^\p{N}$/u.test(char)
}
