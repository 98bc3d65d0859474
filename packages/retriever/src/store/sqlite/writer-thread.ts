// The package import `#index-writer`: the thread that `applyInThread` starts.
import { parentPort, workerData } from 'node:worker_threads'
import type { ChunkSlices } from '../../data/chunk-slices.ts'
import { readSpool } from '../../data/spooled-chunks.ts'
import { openDatabase } from './sqlite-database.ts'
import { toStorageError } from './sqlite-errors.ts'
import { writeChange } from './write-change.ts'
import type { FromThread, SpooledFile, ThreadChange, ToThread } from './write-in-thread.ts'

const { path, dimensions, changed, removed } = workerData as ThreadChange // by `applyInThread`
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
  const database = await openDatabase(path)
  try {
    const change = {
      removed,
      changed: changed.map(({ record, chunks }, of) => ({
        record,
        chunks: typeof chunks === 'object' && 'spool' in chunks ? slicesOf(chunks, of) : chunks,
      })),
    }
    await writeChange(path, database, change, dimensions, stop.signal, () => send({ type: 'applied' }))
  } finally {
    database.close()
  }
} catch (error) {
  const { code, message, retryable, cause } = toStorageError(error, path)
  send({ type: 'failed', code, message, retryable, ...(cause instanceof Error && { cause }) })
}
parentPort?.close()

function slicesOf({ length, spool }: SpooledFile, of: number): ChunkSlices {
  return {
    length,
    async *slices({ vectors: isWithVectors = false } = {}) {
      for await (const slice of readSpool(spool)) {
        const vectors = isWithVectors ? await askForVectors(of) : []
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
