import { readSync } from 'node:fs'
import type { Chunk } from './chunk.ts'
import type { SpoolParts } from './chunk-slices.ts'
import { unpackBytes } from './pack-chunks.ts'

/** Reads the chunks of a spool, one part at a time. */
export async function* readSpool({ file, descriptor, parts }: SpoolParts): AsyncGenerator<Chunk[], void, undefined> {
  for (const part of parts) {
    const bytes = new Uint8Array(part.bytes)
    for (let read = 0; read < bytes.length; ) {
      const count = readSync(descriptor, bytes, read, bytes.length - read, part.at + read)
      if (count === 0) throw new Error('A temporary file of the index was cut off.')
      read += count
    }
    yield unpackBytes(file, bytes)
  }
}
