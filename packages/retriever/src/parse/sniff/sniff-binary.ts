/** The type of a binary file, in words; `undefined` when nothing rules out text. */
export function sniffBinary(bytes: Uint8Array, asText: boolean): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  const marked = kindOf(head)
  // A text may begin with such a word too, "GIF89a is …" or "The ftyp box …", but has no control characters.
  if (marked !== undefined && !(asText && isPlain.test(head))) return marked
  if (asText) return isBinary(bytes) ? 'a binary file' : undefined
  if (head.startsWith('%!PS')) return 'a PostScript file'
  if (/^\s*\{\\rtf/.test(head)) return 'an RTF document'
  if (/^\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<(!doctype html|html|head|body)\b/is.test(head)) return 'an HTML page'
  return undefined
}

const controls = '\\0-\\x08\\x0e-\\x1f'
const isPlain = new RegExp(`^[^${controls}]*$`)

/** The kind whose first bytes these are. */
function kindOf(head: string): string | undefined {
  const known = magics.find(([magic]) => head.startsWith(magic))
  if (known !== undefined) return known[1]
  if (head.slice(4, 8) === 'ftyp') return 'a video or an image'
  if (/^RIFF.{4}(WEBP|WAVE|AVI )/s.test(head) || (head.startsWith('ID3') && head.charCodeAt(3) < 16))
    return 'a sound, a video or an image'
  return head.slice(257, 262) === 'ustar' ? 'a TAR archive' : undefined
}

const magics: readonly (readonly [magic: string, kind: string])[] = [
  ['\x89PNG\r\n', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF87a', 'a GIF image'],
  ['GIF89a', 'a GIF image'],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['\x1f\x8b', 'a gzip archive'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive'],
  ['Rar!\x1a\x07', 'a RAR archive'],
  ['\xfd7zXZ\0', 'an xz archive'],
  ['BZh91AY', 'a bzip2 archive'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['\x7fELF', 'a program'],
  ['\xca\xfe\xba\xbe', 'a program'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['OggS', 'a sound'],
  ['fLaC', 'a sound'],
  ['wOFF', 'a font'],
  ['wOF2', 'a font'],
]
const sampleSize = 64 * 1024

/** Text has almost no control characters, except UTF-16, where every other byte is one. */
function isBinary(bytes: Uint8Array): boolean {
  if (hasWideBom(bytes)) return false
  if (isBinarySample(bytes.subarray(0, sampleSize))) return true
  if (bytes.length <= sampleSize) return false
  const middle = Math.floor(bytes.length / 2) - sampleSize / 2
  return isBinarySample(bytes.subarray(middle, middle + sampleSize))
}

function isBinarySample(sample: Uint8Array): boolean {
  let even = 0
  let odd = 0
  let controls = 0
  // The loop uses an index because iterating over bytes is several times slower, and every file needs this check.
  for (let place = 0; place < sample.length; place++) {
    const byte = sample[place] ?? 0
    if (byte >= 32) continue
    if (byte === 0) place % 2 === 0 ? even++ : odd++
    // Tab to carriage return, backspace (of terminals) and escape occur in text.
    else if (byte < 7 || (byte > 13 && byte !== 27)) controls++
  }
  const most = Math.max(even, odd)
  const isWide = most > sample.length / 8 && Math.min(even, odd) < most / 20
  const junk = controls + (isWide ? 0 : even + odd)
  return junk > sample.length / 50 && junk > 1
}

function hasWideBom(bytes: Uint8Array): boolean {
  const [first, second, third, fourth] = bytes
  return (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    (first === 0 && second === 0 && third === 0xfe && fourth === 0xff)
  )
}
