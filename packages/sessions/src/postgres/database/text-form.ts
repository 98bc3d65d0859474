/** Postgres stores no character 0 in a text, so it is written as two others. The form of two texts is never the same. */
export function toStored(text: string): string {
  if (!text.includes('\0') && !text.includes('\u0001')) return text
  return text.replaceAll('\u0001', '\u0001b').replaceAll('\0', '\u0001a')
}

export function fromStored(text: string): string {
  return text.includes('\u0001') ? text.replaceAll('\u0001a', '\0').replaceAll('\u0001b', '\u0001') : text
}

/** A short key for values of any length, the same for the same values. */
export function hashOf(...values: readonly string[]): string {
  // Loaded when it is needed, as it takes longer than all of this package.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url')
}
