import { inflateRawSync } from 'node:zlib'
import { unreadableFile } from '../../data/unreadable-file.ts'
import type { ZipEntry } from './zip-entries.ts'

/** Unpacks one entry, and never more bytes than the directory declares. */
export function readEntry(archive: Uint8Array, entry: ZipEntry): Uint8Array {
  const packed = packedBytes(archive, entry)
  if (entry.method === 0) return packed
  if (entry.method !== 8) throw corrupt(entry)
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(entry.size, 1) })
  } catch (cause) {
    throw corrupt(entry, cause)
  }
}

function packedBytes(archive: Uint8Array, entry: ZipEntry): Uint8Array {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength)
  if (entry.offset + 30 > archive.length || view.getUint32(entry.offset, true) !== 0x04034b50) throw corrupt(entry)
  const start = entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true)
  if (start + entry.compressedSize > archive.length) throw corrupt(entry)
  return archive.subarray(start, start + entry.compressedSize)
}

function corrupt(entry: ZipEntry, cause?: unknown): Error {
  return unreadableFile('corrupt', `It is damaged: its part "${entry.name}" cannot be unpacked.`, cause)
}
