import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { decodeDeflate } from './decode-deflate.ts'

type Decoder = Readable & NodeJS.WritableStream

/** An answer with more codings is not decoded: each one may multiply its length. */
const mostCodings = 5

/** The body without its content codings. Requests ask for no compression, but a proxy may compress anyway. */
export function decodedBody(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding']
  if (encoding === undefined) return message
  const codings = encoding.toLowerCase().split(',').map(trimmed).filter(isCoding)
  if (codings.length > mostCodings) return message
  const decoders = codings.reverse().map(decoderOf)
  if (!decoders.every((decoder) => decoder !== undefined)) return message
  return decoders.reduce<Readable>((encoded, decoder) => {
    encoded.on('error', (error) => decoder.destroy(error))
    decoder.on('close', () => encoded.destroy())
    return encoded.pipe(decoder)
  }, message)
}

function trimmed(coding: string): string {
  return coding.trim()
}

function isCoding(coding: string): boolean {
  return coding !== '' && coding !== 'identity'
}

function decoderOf(coding: string): Decoder | undefined {
  const zlib = process.getBuiltinModule('node:zlib')
  // Flushed at once: an event must not wait for the next one. Brotli and zstd do so by default.
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(flush)
    case 'deflate':
      return decodeDeflate((isRaw): Transform => (isRaw ? zlib.createInflateRaw(flush) : zlib.createInflate(flush)))
    case 'br':
      return zlib.createBrotliDecompress()
    case 'zstd':
      return zlib.createZstdDecompress()
    default:
      return undefined
  }
}
