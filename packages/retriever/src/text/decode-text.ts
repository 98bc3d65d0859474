import { yieldOrAbort } from '../util/yield-or-abort.ts'
import { detectEncoding } from './detect-encoding.ts'
import { textDecoder } from './text-decoder.ts'

/** The number of bytes that are decoded at once. */
const partSize = 256 * 1024

/**
 * The text of a file's bytes, in parts: without a byte order mark, NULs and lone surrogates, and with `\n` as the line
 * end.
 *
 * @param otherBreaks what vertical tabs, form feeds and U+0085 become: line ends, unless these have a meaning of their own
 * @throws UnreadableFile for binary data
 */
export async function* decodeText(
  bytes: Uint8Array,
  signal: AbortSignal,
  otherBreaks = '\n',
): AsyncGenerator<string, void> {
  const decoder = textDecoder(await detectEncoding(bytes))
  // A \r at the end of a part may be the first half of a line end.
  let held = ''
  for (let at = 0; at < bytes.length; at += partSize) {
    await yieldOrAbort(signal)
    const isLast = at + partSize >= bytes.length
    let part = held + decoder.decode(bytes.subarray(at, at + partSize), { stream: !isLast })
    held = !isLast && part.endsWith('\r') ? '\r' : ''
    if (held !== '') part = part.slice(0, -1)
    part = clean(part, otherBreaks)
    if (part !== '') yield part
  }
}

function clean(part: string, otherBreaks: string): string {
  const lines = part.includes('\r') ? part.replace(/\r\n?/g, '\n') : part
  if (!control.test(lines)) return lines
  return lines
    .replace(colour, '')
    .replace(overstruck, '')
    .replace(/[\v\f\u0085]/g, otherBreaks)
    .replace(allControls, '')
}

const controls = '[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]'
const control = new RegExp(controls)
const allControls = new RegExp(controls, 'g')
const [escapeSign, backspace] = ['\\x1b', '\\x08']
/** Escape sequences of terminals. */
const colour = new RegExp(`${escapeSign}\\[[\\d;]{0,20}[A-Za-z]`, 'g')
/** Manual pages write a letter, a backspace, and the letter again for bold. */
const overstruck = new RegExp(`[^\\n]${backspace}`, 'gu')
