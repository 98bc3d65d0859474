import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { AgentKitError, type ErrorCode } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import type { NewChunk } from '../data/chunk.ts'
import { isSliced } from '../data/chunk-slices.ts'
import type { SpoolParts } from '../data/spooled-chunks.ts'
import type { Change } from './store.ts'

/** Which index a thread opens. */
export type IndexAddress = { dimensions?: number } & (
  | { kind: 'sqlite'; path: string }
  | { kind: 'lance'; uri: string; generation: string; storageOptions?: Record<string, string> }
)

/** A change as the thread receives it. */
export type ThreadChange = {
  index: IndexAddress
  removed: readonly string[]
  changed: readonly (Omit<Change['changed'][number], 'chunks'> & {
    chunks: readonly NewChunk[] | 'keep' | SpooledFile
  })[]
}

export type SpooledFile = { length: number; spool: SpoolParts }

export type ToThread =
  | { type: 'abort' }
  /** The vectors of the slice that was asked for, one for each of its chunks. */
  | { type: 'vectors'; vectors: readonly (Float32Array | undefined)[] }

export type FromThread =
  /** Asks for the vectors of the next slice of the file at this index of `changed`. */
  | { type: 'vectors'; of: number }
  /** The change is committed, whatever happens afterwards. */
  | { type: 'applied' }
  | { type: 'failed'; code: ErrorCode; message: string; retryable: boolean; cause?: unknown }

/**
 * What a change allocates is garbage soon. V8 collects the earlier, the smaller the limit of the old generation is: with
 * 2,048 the thread takes 90 MB more, and with 512 its CPU time is 15 % more. Some million passages of a file fit in.
 */
const heapLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1_024 }

/** Whether another thread can read all that a change contains, and whether it is worth a thread. */
export function isForThread({ changed }: Change): boolean {
  const large = changed.flatMap(({ chunks }) => (isSliced(chunks) ? [chunks] : []))
  return large.length > 0 && large.every(({ spool }) => spool !== undefined)
}

/**
 * Makes a change with large files in a thread of its own, whose heap stays small. In this thread V8 would let the heap
 * grow by some 200 MB, and would not release them afterwards.
 *
 * @throws AgentKitError when the thread has ended and nothing of the change was committed
 */
export async function applyInThread(index: IndexAddress, change: Change, signal: AbortSignal): Promise<void> {
  // `#index-writer` of the package.json is `writer-thread.ts`.
  const script = createRequire(import.meta.url).resolve('#index-writer')
  const worker = new Worker(script, {
    workerData: threadChange(index, change),
    resourceLimits: heapLimits,
    // A source imports the sources of other packages.
    execArgv: script.endsWith('.ts') ? ['--conditions=@agentkit/source'] : [],
    stdout: true,
    stderr: true,
  })
  const send = (message: ToThread): void => worker.postMessage(message)
  const abort = (): void => send({ type: 'abort' })
  const vectorsOf = vectorReader(change)
  let isApplied = false
  let failure: unknown

  const sendVectors = async (of: number): Promise<void> => {
    try {
      send({ type: 'vectors', vectors: await vectorsOf(of) })
    } catch (error) {
      failure ??= error
      abort()
    }
  }
  worker.on('message', (message: FromThread) => {
    switch (message.type) {
      case 'vectors':
        void sendVectors(message.of)
        break
      case 'applied':
        isApplied = true
        break
      case 'failed': {
        const { code, message: text, retryable, cause } = message
        failure ??= new AgentKitError(code, text, { retryable, cause })
        break
      }
    }
  })
  worker.on('error', (error) => {
    failure ??= error
  })
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  await new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  signal.removeEventListener('abort', abort)
  if (isApplied) return
  if (signal.aborted) throw abortError(signal)
  throw failure ?? new Error('The thread that writes the index ended early.')
}

function threadChange(index: IndexAddress, { changed, removed }: Change): ThreadChange {
  return {
    index,
    removed,
    changed: changed.map(({ record, chunks }) => ({
      record,
      // `isForThread` has checked that there is a spool.
      chunks: isSliced(chunks) ? { length: chunks.length, spool: chunks.spool as SpoolParts } : chunks,
    })),
  }
}

/** Reads the vectors of each next slice of a file. */
function vectorReader({ changed }: Change): (of: number) => Promise<(Float32Array | undefined)[]> {
  const readers = changed.map(({ chunks }) =>
    isSliced(chunks) ? chunks.slices({ vectors: true })[Symbol.asyncIterator]() : undefined,
  )
  return async (of) => {
    const next = await readers[of]?.next()
    // Copies, as a view would be sent with the whole buffer below it.
    return next === undefined || next.done === true ? [] : next.value.map(({ vector }) => vector?.slice())
  }
}
