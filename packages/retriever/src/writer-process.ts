// The package import `#index-writer`: the process that `WriterProcess` starts.
import { type AgentKitError, isAgentKitError } from '@agentkit/core'
import type { ChunkSlices } from './data/chunk-slices.ts'
import { unpackBytes } from './data/pack-chunks.ts'
import { readSpool } from './data/spooled-chunks.ts'
import { lanceSpace } from './store/lance/lance-space.ts'
import { openSQLiteStore } from './store/sqlite/sqlite-store.ts'
import type { Change, Store } from './store/store.ts'
import type { FromWriter, IndexAddress, SpooledFile, ToWriter, WriterChange } from './store/writer-messages.ts'

const stop = new AbortController()
let store: Promise<Store> | undefined
let isWriting = false
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
      if (!isWriting) process.exit()
      stop.abort()
      reply?.reject(stop.signal.reason)
      break
    case 'end':
      void end(async () => (await store)?.indexNow?.())
      break
    case 'maintain':
      store ??= open(message.index)
      void end(async () => (await store)?.maintainHere?.(stop.signal))
  }
})
// A terminal or a service manager signals all processes: the parent decides when this one exits.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// The parent process has died or does not wait, so the uncommitted changes are not needed.
process.on('disconnect', () => process.exit())

async function apply({ index, removed, changed }: WriterChange): Promise<void> {
  try {
    isWriting = true
    store ??= open(index)
    const change = {
      removed,
      changed: changed.map(({ record, chunks }, of) => ({
        record,
        chunks: chunksOf(chunks, record.file, { index, of }),
      })),
    }
    await (await store).apply(change, stop.signal)
    isWriting = false
    process.send?.({ type: 'applied' } satisfies FromWriter)
  } catch (error) {
    await close().catch(() => {})
    finish(isAgentKitError(error) ? failedMessage(error) : bugOf(error))
  }
}

function open(index: IndexAddress): Promise<Store> {
  return index.kind === 'sqlite'
    ? openSQLiteStore(index.path, index)
    : lanceSpace(index.uri, index).open(index.generation, index)
}

async function end(work: () => Promise<void>): Promise<void> {
  try {
    await work()
    await close()
  } catch {
    // A failure is ignored, because the parent process does the rest.
  }
  process.disconnect()
}

async function close(): Promise<void> {
  await (await store)?.close()
}

function finish(message: FromWriter): void {
  process.send?.(message, () => process.disconnect())
}

function failedMessage({ code, message, retryable, cause }: AgentKitError): FromWriter {
  return { type: 'failed', code, message, retryable, ...(cause instanceof Error && { cause }) }
}

function bugOf(cause: unknown): FromWriter {
  return { type: 'failed', code: 'storage', message: 'The index could not be written.', retryable: false, cause }
}

function chunksOf(
  chunks: WriterChange['changed'][number]['chunks'],
  file: string,
  at: { index: IndexAddress; of: number },
): Change['changed'][number]['chunks'] {
  if (typeof chunks !== 'object') return chunks
  if ('packed' in chunks) return chunks.packed.flatMap((bytes) => unpackBytes(file, bytes))
  return 'spool' in chunks ? slicesOf(chunks, at) : chunks
}

function slicesOf({ length, spool }: SpooledFile, { index, of }: { index: IndexAddress; of: number }): ChunkSlices {
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
  process.send?.({ type: 'vectors', of } satisfies FromWriter)
  return reply.promise
}
