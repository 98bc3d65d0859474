import { isWhiteSpace } from './white-space.ts'

/** Characters that end a sentence without a following space. */
const wideEnds = '。！？｡．'
const ends = `!?…؟۔।॥։።၊။${wideEnds}`
const closers = '"\')]}”’»›」』）】〉》'

/** Whether a sentence ends before a position of a text. */
export function endsSentence(text: string, position: number): boolean {
  const isBeforeSpace = isWhiteSpace(text.charCodeAt(position))
  let last = position - 1
  for (let count = 0; count < 3 && closers.includes(text.charAt(last)); count++) last--
  const sign = text.charAt(last)
  if (!isBeforeSpace) return wideEnds.includes(sign) && !`${closers}${ends}`.includes(text.charAt(position))
  return sign === '.' ? !isAbbreviation(text, last, position) : ends.includes(sign)
}

/** Abbreviations of common languages; a missing one only causes a worse cut. */
const abbreviation =
  /(?:^|[\s([])(?:\p{L}|\p{L}\.\p{L}|mrs?|ms|dr|prof|st|figs?|eqs?|nos?|vol|pp|cf|vs|ca|approx|bzw|nr|abb|art|resp)$/iu

function isAbbreviation(text: string, dot: number, position: number): boolean {
  if (abbreviation.test(text.slice(Math.max(0, dot - 10), dot))) return true
  const next = text.slice(position, position + 8).trimStart()
  return !isWhiteSpace(text.charCodeAt(dot - 1)) && /^\p{Ll}/u.test(next)
}
