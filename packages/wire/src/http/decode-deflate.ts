import type { Transform } from 'node:stream'

/**
 * A decoder of `deflate`, which some servers send without the header of zlib: the first byte shows it.
 * @param create the decoder of a body without the header, or with it
 */
export function decodeDeflate(create: (isRaw: boolean) => Transform): Transform {
  const { Transform: Base } = process.getBuiltinModule('node:stream')
  let inner: Transform | undefined
  const open = (first: number): Transform => {
    const decoder = create((first & 0x0f) !== 0x08)
    decoder.on('data', (piece) => {
      if (!outer.push(piece)) decoder.pause()
    })
    decoder.on('end', () => outer.push(null))
    decoder.on('error', (error) => outer.destroy(error))
    return decoder
  }
  const outer: Transform = new Base({
    transform(chunk: Buffer, encoding, done) {
      const [first] = chunk
      if (first === undefined) return done()
      inner ??= open(first)
      inner.write(chunk, encoding, done)
    },
    final(done) {
      inner?.end()
      done()
    },
    flush(done) {
      if (!inner || inner.readableEnded) return done()
      inner.once('end', () => done())
    },
    read(size) {
      inner?.resume()
      Base.prototype._read.call(outer, size)
    },
    destroy(error, done) {
      inner?.destroy()
      done(error)
    },
  })
  return outer
}
