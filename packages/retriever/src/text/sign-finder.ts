/** Finds characters in a text; each is searched to the end of the text without success only once. */
export interface SignFinder {
  /** The position after the next occurrence of a character from `from` on. */
  endBehind(sign: string, from: number): number | undefined
}

export function createSignFinder(text: string): SignFinder {
  const known = new Map<string, { from: number; at: number }>()

  return {
    endBehind(sign, from) {
      let found = known.get(sign)
      if (found === undefined || (found.at >= 0 && found.at < from)) {
        found = { from, at: text.indexOf(sign, from) }
        known.set(sign, found)
      } else if (from < found.from) {
        // A step back: the result is known.
        const near = text.slice(from, found.from + sign.length - 1).indexOf(sign)
        found = { from, at: near < 0 ? found.at : from + near }
        known.set(sign, found)
      }
      return found.at < 0 ? undefined : found.at + sign.length
    },
  }
}
