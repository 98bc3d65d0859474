/** The first characters of a text, at most `most` UTF-16 units: no character is cut in half. */
export function firstChars(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, (half) => (text.length > most ? '' : half))
}
