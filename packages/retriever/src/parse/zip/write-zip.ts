import { crc32 } from 'node:zlib'

/** A ZIP archive of the given files, without compression. */
export function writeZip(files: Iterable<readonly [name: string, content: Uint8Array]>): Buffer {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const [name, content] of files) {
    const nameBytes = Buffer.from(name)
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    // The flag for UTF-8 names.
    about.writeUInt16LE(0x800, 2)
    about.writeUInt32LE(crc32(content), 10)
    about.writeUInt32LE(content.length, 14)
    about.writeUInt32LE(content.length, 18)
    about.writeUInt16LE(nameBytes.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    const local = [Buffer.from('PK\x03\x04'), about, nameBytes, content]
    parts.push(...local)
    directory.push(Buffer.from('PK\x01\x02\x14\0'), about, place, nameBytes)
    for (const part of local) offset += part.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length / 4, 8)
  end.writeUInt16LE(directory.length / 4, 10)
  end.writeUInt32LE(
    directory.reduce((sum, part) => sum + part.length, 0),
    12,
  )
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...directory, end])
}
