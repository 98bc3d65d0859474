import { isUtf8 } from 'node:buffer'
import { unreadableFile } from '../data/unreadable-file.ts'
import { guessEncoding } from './guess-encoding.ts'

/**
 * The encoding of a file's text, as a label for TextDecoder.
 *
 * @throws UnreadableFile for binary data
 */
export async function detectEncoding(bytes: Uint8Array): Promise<string> {
  const marked = encodingOfMark(bytes)
  if (marked !== undefined) return marked
  const sample = sampleOf(bytes)
  // Letters of UTF-16 beyond ASCII are hardly ever valid UTF-8.
  const isForeign = isUtf8(bytes) && sample.some((byte) => byte > 0x7f)
  const wide = sample.includes(0) && !isForeign ? wideEncodingOf(bytes) : undefined
  if (wide !== undefined) return wide
  if (isBinary(sample)) throw unreadableFile('unsupported', 'It holds binary data, not text.')
  if (isUtf8(bytes)) return hasEscapedJapanese(sample) ? 'iso-2022-jp' : 'utf-8'
  return isNearlyUtf8(bytes) ? 'utf-8' : guessEncoding(foreignLines(bytes))
}

function encodingOfMark([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  const isWide = first === 0xff && second === 0xfe && third === 0 && fourth === 0
  const isWideTurned = first === 0 && second === 0 && third === 0xfe && fourth === 0xff
  if (isWide || isWideTurned) throw unreadableFile('unsupported', 'Its encoding is UTF-32: save it as UTF-8.')
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

const slices = 16
const sliceSize = 4 * 1024

/** A sample of bytes from all parts of a file. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= slices * sliceSize) return bytes
  const sample = new Uint8Array(slices * sliceSize)
  const step = Math.floor((bytes.length - sliceSize) / (slices - 1))
  for (let slice = 0; slice < slices; slice++) {
    sample.set(bytes.subarray(slice * step, slice * step + sliceSize), slice * sliceSize)
  }
  return sample
}

/** Detects UTF-16 without a byte order mark: every second byte of its spaces, line ends and Latin letters is NUL. */
function wideEncodingOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, 64 * 1024)
  let ascii = 0
  let odd = 0
  let even = 0
  for (let at = 0; at < head.length; at++) {
    const byte = head[at] ?? 0
    if (byte === 0) at % 2 === 0 ? even++ : odd++
    else if (byte < 0x7f) ascii++
  }
  // A few NULs occur in plain text.
  if (ascii > head.length * 0.9) return undefined
  const likelier = odd >= even ? ['utf-16le', 'utf-16be'] : ['utf-16be', 'utf-16le']
  return likelier.find((encoding) => isPlainText(head, encoding))
}

function isPlainText(bytes: Uint8Array, encoding: string): boolean {
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  // The end of the sample may split a surrogate pair.
  return !/[^\P{C}\s\p{Cf}]/u.test(text.slice(0, -1)) && !text.slice(0, -1).includes('\ufffd')
}

/** Random bytes contain five times as many control characters. */
function isBinary(sample: Uint8Array): boolean {
  let controls = 0
  // The loop uses an index because iterating over bytes is several times slower, and every file needs this check.
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at] ?? 0
    if (byte < 32 && !isTextControl(byte)) controls++
  }
  return controls > 1 && controls * 50 > sample.length
}

/** \b to \r, and escape: terminals and manual pages contain them. */
function isTextControl(byte: number): boolean {
  return (byte >= 8 && byte <= 13) || byte === 27
}

function hasEscapedJapanese(sample: Uint8Array): boolean {
  for (let at = sample.indexOf(27); at >= 0; at = sample.indexOf(27, at + 1)) {
    if (sample[at + 1] === 0x24 && (sample[at + 2] === 0x42 || sample[at + 2] === 0x40)) return true
  }
  return false
}

/** Whether only a few characters are invalid, as in a truncated file. */
function isNearlyUtf8(bytes: Uint8Array): boolean {
  let characters = 0
  let broken = 0
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0
    if (lead < 0x80) continue
    const more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc2 ? 1 : 0
    let found = 0
    while (found < more && ((bytes[at + found + 1] ?? 0) & 0xc0) === 0x80) found++
    // The end of a file may be truncated.
    if (more > found && at + found + 1 >= bytes.length) break
    if (more > 0 && found === more && lead < 0xf5) characters++
    else broken++
    at += found
  }
  return characters > 0 && broken * 3 <= characters
}

/** Up to 16 KB of lines with non-ASCII bytes: the input of a guess. */
function foreignLines(bytes: Uint8Array): Uint8Array {
  const lines: Uint8Array[] = []
  let size = 0
  for (let at = 0; at < bytes.length && size < 16 * 1024; at++) {
    if ((bytes[at] ?? 0) < 0x80) continue
    const start = Math.max(bytes.lastIndexOf(10, at) + 1, at - 1024)
    const lineEnd = bytes.indexOf(10, at)
    const end = lineEnd < 0 || lineEnd > at + 4096 ? Math.min(at + 4096, bytes.length) : lineEnd + 1
    lines.push(bytes.subarray(start, end))
    size += end - start
    at = end - 1
  }
  return Buffer.concat(lines)
}
