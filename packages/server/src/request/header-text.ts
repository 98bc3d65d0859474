/**
 * The value of a header that a client sent in UTF-8, each of whose bytes is received as a character: `Ã©` as `é`. Other values
 * stay as they are.
 */
export function headerText(value: string | undefined): string | undefined {
  if (value === undefined || /^[\x20-\x7e]*$/.test(value)) return value
  try {
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return value
  }
}
