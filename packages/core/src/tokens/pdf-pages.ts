import { inflateSync } from 'node:zlib'

/** At most how many pages a PDF has. Where they cannot be seen, as in an encrypted file, it is guessed by its size. */
export function countPdfPages(file: Buffer): number {
  const text = file.toString('latin1')
  let pages = countPages(text)
  let streams = 0
  // Newer files keep the descriptions of their pages in compressed streams.
  for (const { index, 0: head } of text.matchAll(objectStream)) {
    if (++streams > mostStreams) break
    pages += countPages(inflate(file.subarray(index + head.length)))
  }
  return pages || Math.min(Math.max(Math.ceil(file.length / bytesOfSmallPage), 1), mostUnseenPages)
}

const objectStream = /\/ObjStm\b[\s\S]{0,400}?\bstream\r?\n/g
const page = /\/Type\s*\/Page(?!\w)/g

/** Anyone may have made the file: what is unpacked of it is bounded, far above what real ones need. */
const mostStreams = 300
const mostStreamBytes = 500_000

/** A page of text alone, whose fonts are not in the file. */
const bytesOfSmallPage = 2_000
const mostUnseenPages = 100

function countPages(text: string): number {
  return text.match(page)?.length ?? 0
}

function inflate(bytes: Buffer): string {
  try {
    return inflateSync(bytes, { maxOutputLength: mostStreamBytes }).toString('latin1')
  } catch {
    return ''
  }
}
