/**
 * The number of insertions, deletions, replacements and swaps of adjacent characters that turn one word into the other
 * (Damerau–Levenshtein distance). Above `most`, the result is any larger number.
 */
export function editDistance(one: string, other: string, most: number): number {
  const width = other.length + 1
  let beforeLast = new Array<number>(width).fill(0)
  let last = Array.from({ length: width }, (_, column) => column)
  let row = new Array<number>(width).fill(0)
  for (let at = 1; at <= one.length; at++) {
    row[0] = at
    let least = at
    for (let column = 1; column < width; column++) {
      const isSame = one[at - 1] === other[column - 1]
      let distance = Math.min(
        (last[column] ?? 0) + 1,
        (row[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwapped = at > 1 && column > 1 && one[at - 1] === other[column - 2] && one[at - 2] === other[column - 1]
      if (isSwapped) distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1)
      row[column] = distance
      if (distance < least) least = distance
    }
    if (least > most) return most + 1
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return last[width - 1] ?? 0
}
