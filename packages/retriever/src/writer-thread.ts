// The package import `#index-writer`: the thread that `applyInThread` starts.
import { parentPort, workerData } from 'node:worker_threads'
import { isAgentKitError } from '@agentkit/core'
import type { ChunkSlices } from './data/chunk-slices.ts'
import { readSpool } from './data/spooled-chunks.ts'
import { lanceSpace } from './store/lance/lance-space.ts'
import { openSQLiteStore } from './store/sqlite/sqlite-store.ts'
import type { FromThread, SpooledFile, ThreadChange, ToThread } from './store/write-in-thread.ts'

const { index, changed, removed } = workerData as ThreadChange // by `applyInThread`
const stop = new AbortController()
let reply: PromiseWithResolvers<readonly (Float32Array | undefined)[]> | undefined

parentPort?.on('message', (message: ToThread) => {
  if (message.type === 'vectors') reply?.resolve(message.vectors)
  else {
    stop.abort()
    reply?.reject(stop.signal.reason)
  }
})
try {
  const store =
    index.kind === 'sqlite'
      ? await openSQLiteStore(index.path, index)
      : await lanceSpace(index.uri, index).open(index.generation, index)
  const change = {
    removed,
    changed: changed.map(({ record, chunks }, of) => ({
      record,
      chunks: typeof chunks === 'object' && 'spool' in chunks ? slicesOf(chunks, of) : chunks,
    })),
  }
  await store.apply(change, stop.signal).finally(() => store.close())
  send({ type: 'applied' })
} catch (error) {
  // A bug is an `error` of the thread.
  if (!isAgentKitError(error)) throw error
  const { code, message, retryable, cause } = error
  send({ type: 'failed', code, message, retryable, ...(cause instanceof Error && { cause }) })
}
parentPort?.close()

function slicesOf({ length, spool }: SpooledFile, of: number): ChunkSlices {
  return {
    length,
    async *slices({ vectors: isWithVectors = false } = {}) {
      for await (const slice of readSpool(spool)) {
        const vectors = isWithVectors && index.dimensions !== undefined ? await askForVectors(of) : []
        yield slice.map((chunk, index) => {
          const vector = vectors[index]
          return vector === undefined ? chunk : { ...chunk, vector }
        })
      }
    },
  }
}

function askForVectors(of: number): Promise<readonly (Float32Array | undefined)[]> {
  stop.signal.throwIfAborted()
  reply = Promise.withResolvers()
  send({ type: 'vectors', of })
  return reply.promise
}

function send(message: FromThread): void {
  parentPort?.postMessage(message)
}
