import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { AgentKitError, type ErrorCode } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import type { NewChunk } from '../data/chunk.ts'
import { isSliced } from '../data/chunk-slices.ts'
import type { SpoolParts } from '../data/spooled-chunks.ts'
import type { Change } from './store.ts'

/** Which index the writer opens. */
export type IndexAddress = { dimensions?: number } & (
  | { kind: 'sqlite'; path: string }
  | { kind: 'lance'; uri: string; generation: string; storageOptions?: Record<string, string> }
)

/** A change as the writer receives it. */
export type WriterChange = {
  index: IndexAddress
  removed: readonly string[]
  changed: readonly (Omit<Change['changed'][number], 'chunks'> & {
    chunks: readonly NewChunk[] | 'keep' | SpooledFile
  })[]
}

export type SpooledFile = { length: number; spool: SpoolParts }

export type ToWriter =
  | { type: 'change'; change: WriterChange }
  | { type: 'abort' }
  /** The vectors of the slice that was asked for, one for each of its chunks. */
  | { type: 'vectors'; vectors: readonly (Float32Array | undefined)[] }

export type FromWriter =
  /** Asks for the vectors of the next slice of the file at this index of `changed`. */
  | { type: 'vectors'; of: number }
  /** The change is committed, whatever happens afterwards. */
  | { type: 'applied' }
  | { type: 'failed'; code: ErrorCode; message: string; retryable: boolean; cause?: unknown }

/**
 * Most memory that a change allocates is garbage soon. V8 collects earlier with a smaller limit of the old generation:
 * with 2,048 the process takes 90 MB more, and with 512 its CPU time is 15 % more. Millions of passages of a file fit.
 */
const defaultHeapMb = 1_024

/** Whether another process can read all that a change contains, and whether it is worth a process. */
export function isForProcess({ changed }: Change): boolean {
  const large = changed.flatMap(({ chunks }) => (isSliced(chunks) ? [chunks] : []))
  return large.length > 0 && large.every(({ spool }) => spool !== undefined)
}

/** How much of stderr is kept, in characters: its end has V8's last words. */
const mostWritten = 16_000

/**
 * Makes a change with large files in a process of its own, whose memory goes with it. In this process V8 would let the
 * heap grow by some 200 MB, and the allocator would keep what LanceDB's threads have freed.
 *
 * @throws AgentKitError when the process has ended and nothing of the change was committed
 */
export async function applyInProcess(
  index: IndexAddress,
  change: Change,
  signal: AbortSignal,
  { heapMb = defaultHeapMb }: { heapMb?: number } = {},
): Promise<void> {
  signal.throwIfAborted()
  // `#index-writer` of the package.json is `writer-process.ts`.
  const script = createRequire(import.meta.url).resolve('#index-writer')
  const spools = change.changed.flatMap(({ chunks }) => (isSliced(chunks) && chunks.spool ? [chunks.spool] : []))
  const child = fork(script, [], {
    // Each thread of LanceDB would otherwise have an arena of memory of its own, of which fragments stay.
    env: { MALLOC_ARENA_MAX: '2', ...process.env, NODE_OPTIONS: '' },
    execArgv: [
      `--max-old-space-size=${heapMb}`,
      '--max-semi-space-size=16',
      // A source imports the sources of other packages.
      ...(script.endsWith('.ts') ? ['--conditions=@agentkit/source'] : []),
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', ...spools.map(({ descriptor }) => descriptor)],
  })
  const vectorsOf = vectorReader(change)
  let isApplied = false
  let failure: unknown
  let written = ''
  // A process that has ended cannot be written to, which its exit reports.
  const send = (message: ToWriter): void => void (child.connected && child.send(message, () => {}))
  const abort = (): void => send({ type: 'abort' })

  const sendVectors = async (of: number): Promise<void> => {
    try {
      send({ type: 'vectors', vectors: await vectorsOf(of) })
    } catch (error) {
      failure ??= error
      abort()
    }
  }
  child.on('message', (message: FromWriter) => {
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
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written = (written + text).slice(-mostWritten)
  })
  child.on('error', (error) => {
    failure ??= error
  })
  signal.addEventListener('abort', abort)
  send({ type: 'change', change: writerChange(index, change) })
  if (signal.aborted) abort()
  await new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    // A process that never started has no `close` event.
    child.once('error', () => child.pid === undefined && resolve())
  })
  signal.removeEventListener('abort', abort)
  if (isApplied) return
  if (signal.aborted) throw abortError(signal)
  throw failure ?? endedEarly(change, written, heapMb)
}

function endedEarly({ changed }: Change, written: string, heapMb: number): AgentKitError {
  const files = changed.map(({ record }) => `"${record.file}"`).join(', ')
  if (/out of memory/i.test(written)) {
    const fix = 'Split it into smaller files, or lower `maxFileBytes` so that it is skipped.'
    return new AgentKitError('storage', `Indexing ${files} takes more than ${heapMb} MB of memory. ${fix}`)
  }
  return new AgentKitError('storage', `The process that writes the index ended early, at ${files}. Sync again.`, {
    retryable: true,
    cause: written.trim() || undefined,
  })
}

/** The first descriptor after the standard ones and the channel. */
const firstSpool = 4

function writerChange(index: IndexAddress, { changed, removed }: Change): WriterChange {
  let descriptor = firstSpool
  return {
    index,
    removed,
    changed: changed.map(({ record, chunks }) => ({
      record,
      // The cast holds: `isForProcess` has checked that there is a spool. The child's descriptor is the index in
      // `stdio`.
      chunks: isSliced(chunks)
        ? { length: chunks.length, spool: { ...(chunks.spool as SpoolParts), descriptor: descriptor++ } }
        : chunks,
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
