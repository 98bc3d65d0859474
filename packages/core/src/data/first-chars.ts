/** The first characters of a text, so many UTF-16 units at most: none is cut in half. */
export function firstChars(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, (half) => (text.length > most ? '' : half))
}
