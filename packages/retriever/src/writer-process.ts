// The package import `#index-writer`: the process that `applyInProcess` starts.
import { type AgentKitError, isAgentKitError } from '@agentkit/core'
import type { ChunkSlices } from './data/chunk-slices.ts'
import { readSpool } from './data/spooled-chunks.ts'
import { lanceSpace } from './store/lance/lance-space.ts'
import { openSQLiteStore } from './store/sqlite/sqlite-store.ts'
import type { FromWriter, IndexAddress, SpooledFile, ToWriter, WriterChange } from './store/write-in-process.ts'

const stop = new AbortController()
let isApplied = false
let reply: PromiseWithResolvers<readonly (Float32Array | undefined)[]> | undefined

process.on('message', (message: ToWriter) => {
  switch (message.type) {
    case 'change':
      void apply(message.change)
      break
    case 'vectors':
      reply?.resolve(message.vectors)
      break
    case 'abort':
      if (isApplied) process.exit()
      stop.abort()
      reply?.reject(stop.signal.reason)
  }
})
// The parent process has died, so the uncommitted changes are not needed.
process.on('disconnect', () => process.exit())

async function apply({ index, removed, changed }: WriterChange): Promise<void> {
  try {
    const store =
      index.kind === 'sqlite'
        ? await openSQLiteStore(index.path, index)
        : await lanceSpace(index.uri, index).open(index.generation, index)
    const change = {
      removed,
      changed: changed.map(({ record, chunks }, of) => ({
        record,
        chunks: typeof chunks === 'object' && 'spool' in chunks ? slicesOf(chunks, index, of) : chunks,
      })),
    }
    try {
      await store.apply(change, stop.signal)
      isApplied = true
      send({ type: 'applied' })
      // A failure is ignored, because the parent process indexes the rest.
      await store.indexNow?.().catch(() => {})
    } finally {
      await store.close()
    }
    process.disconnect()
  } catch (error) {
    finish(isAgentKitError(error) ? failureOf(error) : bugOf(error))
  }
}

function finish(message: FromWriter): void {
  process.send?.(message, () => process.disconnect())
}

function send(message: FromWriter): void {
  process.send?.(message)
}

function failureOf({ code, message, retryable, cause }: AgentKitError): FromWriter {
  return { type: 'failed', code, message, retryable, ...(cause instanceof Error && { cause }) }
}

function bugOf(cause: unknown): FromWriter {
  return { type: 'failed', code: 'storage', message: 'The index could not be written.', retryable: false, cause }
}

function slicesOf({ length, spool }: SpooledFile, index: IndexAddress, of: number): ChunkSlices {
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
