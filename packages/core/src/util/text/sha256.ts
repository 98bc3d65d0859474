/**
 * The SHA-256 of a text. `node:crypto` is loaded by the first call: importing it took a third of the time in which core
 * is imported.
 *
 * @example
 * sha256('call_1', 'base64url')
 */
export function sha256(text: string, encoding: 'hex' | 'base64url' = 'hex'): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, encoding)
}
