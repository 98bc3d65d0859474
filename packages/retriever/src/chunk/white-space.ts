/** Whether `trim()` would remove it. */
export function isWhiteSpace(code: number): boolean {
  if (code < 0xa0) return code === 32 || (code >= 9 && code <= 13)
  if (code === 0xa0 || code === 0x3000 || code === 0xfeff) return true
  if (code < 0x1680 || code > 0x205f) return false
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f
  )
}

/** The first position from `start` on that is not white space; `end` when there is none before it. */
export function skipWhiteSpace(text: string, start: number, end: number): number {
  let position = start
  while (position < end && isWhiteSpace(text.charCodeAt(position))) position++
  return position
}

/** `end` without the white space before it, but not before `start`. */
export function trimEnd(text: string, start: number, end: number): number {
  let position = end
  while (position > start && isWhiteSpace(text.charCodeAt(position - 1))) position--
  return position
}
