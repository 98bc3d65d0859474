/** An upper estimate of the pages of a PDF. Where they cannot be read, as in an encrypted file, it is derived from the size. */
export function countPdfPages(file: Buffer): number {
  const text = file.toString('latin1')
  let pages = countPages(text)
  let streams = 0
  // Newer files keep the page objects in compressed streams.
  for (const { index, 0: head } of text.matchAll(objectStream)) {
    if (++streams > mostStreams) break
    pages += countPages(inflate(file.subarray(index + head.length)))
  }
  return pages || Math.min(Math.max(Math.ceil(file.length / bytesOfSmallPage), 1), mostUnseenPages)
}

const objectStream = /\/ObjStm\b[\s\S]{0,400}?\bstream\r?\n/g
const page = /\/Type\s*\/Page(?!\w)/g

/** The file is untrusted: the bound of what is decompressed is far above that of real files. */
const mostStreams = 300
const mostStreamBytes = 500_000

/** The size of a page with text only, whose fonts are not embedded. */
const bytesOfSmallPage = 2_000
const mostUnseenPages = 100

function countPages(text: string): number {
  return text.match(page)?.length ?? 0
}

function inflate(bytes: Buffer): string {
  // Loaded when a PDF is counted: few runs have one.
  const { inflateSync } = process.getBuiltinModule('node:zlib')
  try {
    return inflateSync(bytes, { maxOutputLength: mostStreamBytes }).toString('latin1')
  } catch {
    return ''
  }
}
