/** A bit set of the letters of a word: it rules out most other words cheaply. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

/** Whether two words cannot be the same but for this many mistakes: each changes at most two letters of the set. */
export function areFar(one: number, other: number, mistakes: number): boolean {
  let different = 0
  for (let rest = one ^ other; rest !== 0; rest &= rest - 1) different++
  return different > mistakes * 2
}
