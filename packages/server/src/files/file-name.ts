import { ProblemError } from '../answer/problem.ts'

const maxBytes = 255
/**
 * Path separators, control characters, line separators, marks that reverse the reading direction of a name, and U+FFFD,
 * which replaces bytes that are not valid UTF-8.
 */
const forbidden = /[/\\\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufffd]/u
/** Devices of Windows, with any extension; it also removes dots and spaces at the end of a name. */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?$|[. ]$/iu
const forbiddenOnWindows = /[<>:"|?*]/

/**
 * The name under which a file is stored: in Unicode's composed form, so that a name has one spelling.
 * @throws ProblemError `invalid-filename` for a name that is a path, hidden, reserved, misleading or too long
 */
export function checkFileName(given: string): string {
  if (given.length > maxBytes * 2 || !given.isWellFormed()) throw new ProblemError('invalid-filename')
  const name = given.normalize('NFC')
  const isRefused =
    name === '' ||
    isHidden(name) ||
    Buffer.byteLength(name) > maxBytes ||
    forbidden.test(name) ||
    reserved.test(name) ||
    (process.platform === 'win32' && forbiddenOnWindows.test(name))
  if (isRefused) throw new ProblemError('invalid-filename')
  return name
}

/** Whether a name is not indexed: it begins with a dot, or is of the file by which Word marks a document as open. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') || name.startsWith('~$')
}

/** The extension in lower case, with the dot; empty if there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot).toLowerCase() : ''
}
