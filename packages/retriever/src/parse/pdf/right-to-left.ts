import type { TextItem } from './page-columns.ts'

/** Whether it has letters of Arabic, Hebrew or another right-to-left script. */
export function isRightToLeft(text: string): boolean {
  return rightLetter.test(text)
}

/**
 * The items of one line in logical order. PDF.js puts the letters of an item into logical order, and leaves the items as
 * they were drawn: from the left by some programs, from the right by others. With `isTurned` PDF.js was wrong, because
 * the letters were drawn from the left in logical order; they are restored.
 */
export function lineInOrder(
  items: readonly TextItem[],
  { isTurned, isRightPage }: { isTurned: boolean; isRightPage: boolean },
): readonly TextItem[] {
  const right = items.filter(({ str }) => isRightToLeft(str))
  if (right.length === 0) return items
  if (isTurned) return items.map((item) => ({ ...item, str: turn([...item.str], kindOf).join('') }))
  // One row of such words has no order of its own: it may be a name on a page in another script.
  const isFromLeft =
    right.length > 1 ? areFromLeft(right) : isRightPage && isMostlyRight(items) && areFromLeft(items.filter(hasText))
  return isFromLeft ? turn(items.flatMap(withOwnEdges), ({ str }) => kindOf(str)) : items
}

function areFromLeft(items: readonly TextItem[]): boolean {
  const steps = items.slice(1).map((item, place) => Math.sign(xOf(item) - xOf(items[place] ?? item)))
  return steps.reduce((sum, step) => sum + step, 0) > 0
}

function hasText({ str }: TextItem): boolean {
  return str.trim() !== ''
}

/** Whether most letters are of a right-to-left script. */
export function isMostlyRight(items: readonly TextItem[]): boolean {
  const letters = items.flatMap(({ str }) => str.match(/\p{L}/gu) ?? [])
  return letters.filter(isRightToLeft).length * 2 > letters.length
}

/**
 * The punctuation around a number or a word of another script as items of their own: it belongs to the line, so the
 * full stop after a number stands before it on the page. The parts keep the place of the item.
 */
function withOwnEdges(item: TextItem): readonly TextItem[] {
  // PDF.js has put the punctuation of such an item into logical order.
  if (item.dir === 'rtl' || kindOf(item.str) !== 'left') return [item]
  const signs = [...item.str]
  const start = signs.findIndex(isOfWord)
  const end = signs.findLastIndex(isOfWord) + 1
  return [signs.slice(0, start), signs.slice(start, end), signs.slice(end)]
    .filter((part) => part.length > 0)
    .map((part) => ({ ...item, str: part.join('') }))
}

/** Signs of a currency and per cent belong to their number. */
function isOfWord(sign: string): boolean {
  return /[\p{L}\p{N}\p{M}\p{Sc}%‰#°]/u.test(sign)
}

/**
 * The line, with its brackets mirrored where they match only then: PDF.js leaves the brackets of words from right to left
 * as they look on the page.
 */
export function withOpenBrackets(line: string): string {
  if (!isRightToLeft(line) || !brackets.test(line) || isBalanced(line)) return line
  const mirrored = line.replace(eachBracket, (bracket) => mirrorOf[bracket] ?? bracket)
  return isBalanced(mirrored) ? mirrored : line
}

const mirrorOf: { readonly [bracket: string]: string } = { '(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{' }
const brackets = /[()[\]{}]/
const eachBracket = new RegExp(brackets, 'g')

function isBalanced(line: string): boolean {
  const open: string[] = []
  for (const [bracket] of line.matchAll(eachBracket)) {
    if ('([{'.includes(bracket)) open.push(bracket)
    else if (open.pop() !== mirrorOf[bracket]) return false
  }
  return open.length === 0
}

function xOf({ transform }: TextItem): number {
  return (transform as readonly number[])[4] ?? 0
}

/** Whether the words of a text are in logical order. */
export function orderOf(text: string): 'reading' | 'turned' | 'unclear' {
  const words = text.match(rightWords) ?? []
  let reading = 0
  let turned = 0
  for (const word of words) {
    const weight = weightOf(word) - weightOf([...word].reverse().join(''))
    if (weight > 0) reading += weight
    else turned -= weight
  }
  if (turned >= 3 && turned > reading * 4) return 'turned'
  if (turned === 0 && reading === 0) return words.length < 20 ? 'reading' : 'unclear'
  return reading > turned * 4 ? 'reading' : 'unclear'
}

/** Evidence that a word is not reversed: letters that only end words, short words, and, weaker, the article of Arabic. */
function weightOf(word: string): number {
  if (/^[^ةىےںםןךףץ]+[ةىےںםןךףץ]$/.test(word) || shortWords.has(word)) return 2
  return /^[وفبك]?ال..|^لل../.test(word) ? 1 : 0
}

const shortWords = new Set([
  'في',
  'من',
  'عن',
  'هذا',
  'هذه',
  'التي',
  'الذي',
  'است',
  'این',
  'برای',
  'که',
  'می',
  'של',
  'כי',
])

type Kind = 'right' | 'left' | 'neutral'

const rightScripts = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc'
const rightLetter = new RegExp(`(?=[${rightScripts}])\\p{L}`, 'u')
const rightWords = new RegExp(`(?:(?=[${rightScripts}])\\p{L}){2,}`, 'gu')

function kindOf(text: string): Kind {
  if (isRightToLeft(text)) return 'right'
  return /[\p{L}\p{N}]/u.test(text) ? 'left' : 'neutral'
}

/** From visual to logical order, and back. Numbers and words of other scripts keep their order. */
function turn<Part>(parts: readonly Part[], kind: (part: Part) => Kind): Part[] {
  const kinds = parts.map(kind)
  const count = (wanted: Kind): number => kinds.filter((each) => each === wanted).length
  if (count('right') >= count('left') * 0.43) return keepRuns([...parts].reverse(), kinds.reverse(), 'left')
  return keepRuns(parts, kinds, 'right')
}

/** Reverses runs of a kind, each from its first to its last part of that kind with only neutral parts between. */
function keepRuns<Part>(parts: readonly Part[], kinds: readonly Kind[], wanted: Kind): Part[] {
  const done: Part[] = []
  for (let at = 0; at < parts.length; at++) {
    let end = at
    if (kinds[at] === wanted)
      for (let next = at + 1; next < parts.length && (kinds[next] === wanted || kinds[next] === 'neutral'); next++)
        if (kinds[next] === wanted) end = next
    // No spread: a run may be longer than the limit for arguments of a call.
    for (const part of parts.slice(at, end + 1).reverse()) done.push(part)
    at = end
  }
  return done
}
