/** A text as a shell reads it back as one word: in single quotes where it has other characters than usual names have. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
