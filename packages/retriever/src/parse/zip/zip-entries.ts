/** A file in a ZIP archive, as its central directory describes it. */
export type ZipEntry = {
  name: string
  /** 0 is stored, 8 is deflated. */
  method: number
  compressedSize: number
  size: number
  /** The offset of the local header. */
  offset: number
  encrypted: boolean
}

/** Lists an archive without unpacking anything; `undefined` when the bytes have no central directory at their end. */
export function zipEntries(bytes: Uint8Array): ZipEntry[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const directory = findDirectory(view)
  if (directory === undefined) return undefined
  const entries: ZipEntry[] = []
  let at = directory
  while (at + 46 <= view.byteLength && view.getUint32(at, true) === entrySignature) {
    const nameLength = view.getUint16(at + 28, true)
    const extraLength = view.getUint16(at + 30, true)
    const nameEnd = at + 46 + nameLength
    if (nameEnd + extraLength > view.byteLength) return undefined
    entries.push({
      name: decoder.decode(bytes.subarray(at + 46, nameEnd)).replaceAll('\\', '/'),
      method: view.getUint16(at + 10, true),
      encrypted: (view.getUint16(at + 8, true) & 1) === 1,
      ...sizes(view, at, nameEnd, nameEnd + extraLength),
    })
    at = nameEnd + extraLength + view.getUint16(at + 32, true)
  }
  return entries
}

const entrySignature = 0x02014b50
const endSignature = 0x06054b50
const end64Signature = 0x06064b50
const inZip64 = 0xffffffff
const decoder = new TextDecoder()

/** The start of the central directory. The end record is in the last 64 KB, before a comment of any length. */
function findDirectory(view: DataView): number | undefined {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 65_557); at--) {
    if (view.getUint32(at, true) !== endSignature) continue
    const offset = view.getUint32(at + 16, true)
    if (offset !== inZip64) {
      // Bytes before the archive shift it; the directory ends where the end record starts.
      const shifted = at - view.getUint32(at + 12, true)
      return isEntry(view, offset) || !isEntry(view, shifted) ? offset : shifted
    }
    const end64 = at >= 20 ? Number(view.getBigUint64(at - 20 + 8, true)) : inZip64
    if (end64 + 56 > view.byteLength || view.getUint32(end64, true) !== end64Signature) return undefined
    return Number(view.getBigUint64(end64 + 48, true))
  }
  return undefined
}

function isEntry(view: DataView, at: number): boolean {
  return at >= 0 && at + 4 <= view.byteLength && view.getUint32(at, true) === entrySignature
}

/** Values above 32 bits are in an extra field, in this order, and only those. */
function sizes(
  view: DataView,
  at: number,
  extra: number,
  extraEnd: number,
): Pick<ZipEntry, 'compressedSize' | 'size' | 'offset'> {
  let compressedSize = view.getUint32(at + 20, true)
  let size = view.getUint32(at + 24, true)
  let offset = view.getUint32(at + 42, true)
  for (let field = extra; field + 4 <= extraEnd; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== 1) continue
    let value = field + 4
    const next = (): number => {
      value += 8
      return value <= extraEnd ? Number(view.getBigUint64(value - 8, true)) : inZip64
    }
    if (size === inZip64) size = next()
    if (compressedSize === inZip64) compressedSize = next()
    if (offset === inZip64) offset = next()
  }
  return { compressedSize, size, offset }
}
