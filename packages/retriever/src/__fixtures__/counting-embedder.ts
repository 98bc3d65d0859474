import { createHash } from 'node:crypto'
import { type Embedder } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'

export interface CountingEmbedder extends Embedder {
  /** Every text that vectors were made of, in order. */
  readonly texts: string[]
  /** Called before each request: may throw, or wait. */
  before: (texts: readonly string[], request: number) => Promise<void> | void
}

/** An embedder that records its requests. Equal texts have equal vectors, and other texts have other vectors. */
export function countingEmbedder(
  id = 'acme/small',
  { dimensions, makes = dimensions ?? 8 }: { dimensions?: number; makes?: number } = {},
): CountingEmbedder {
  const texts: string[] = []
  let requests = 0
  const embedder: CountingEmbedder = {
    id,
    ...(dimensions !== undefined && { dimensions }),
    texts,
    before: () => {},
    async embed(asked, signal) {
      if (signal.aborted) throw abortError(signal)
      await embedder.before(asked, ++requests)
      texts.push(...asked)
      return asked.map((text) => {
        const bytes = createHash('sha512').update(id).update(text).digest()
        return Float32Array.from({ length: makes }, (_, index) => (bytes[index % 64] ?? 0) - 127.5)
      })
    },
  }
  return embedder
}
