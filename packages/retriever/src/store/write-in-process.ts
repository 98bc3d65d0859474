import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { AgentKitError } from '@agentkit/core'
import { abortError, counted } from '@agentkit/core/internal'
import { type ChunkSlices, isSliced, type SpoolParts } from '../data/chunk-slices.ts'
import { startError } from '../util/start-error.ts'
import type { Change, ChangeWriter } from './store.ts'
import type { FromWriter, IndexAddress, PackedFile, SpooledFile, ToWriter, WriterChange } from './writer-messages.ts'

/**
 * Most memory that a change allocates is garbage soon. V8 collects earlier with a smaller limit of the old generation:
 * with 2,048 the process takes 90 MB more, and with 512 its CPU time is 15 % more. Millions of passages of a file fit.
 */
const defaultHeapMb = 1_024

/** Whether a change has large files, and another process can read them. */
export function isForProcess({ changed }: Change): boolean {
  const large = changed.flatMap(({ chunks }) => (isSliced(chunks) && !chunks.packed ? [chunks] : []))
  return large.length > 0 && large.every(({ spool }) => spool !== undefined)
}

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
  options: { heapMb?: number } = {},
): Promise<void> {
  if (signal.aborted) throw abortError(signal)
  const spools = change.changed.flatMap(({ chunks }) => (isSliced(chunks) && chunks.spool ? [chunks.spool] : []))
  const writer = new WriterProcess(index, { ...options, spools })
  try {
    await writer.apply(change, signal)
    await writer.end(signal)
  } finally {
    await writer.stop()
  }
}

/** How much of stderr is kept, in characters: its end has V8's last words. */
const mostWritten = 16_000

type WriterOptions = {
  heapMb?: number
  /** The spools of all changes with large files: the process inherits their descriptors. */
  spools?: readonly SpoolParts[]
}

/** A process that writes an index, change by change. */
export class WriterProcess implements ChangeWriter {
  readonly #index: IndexAddress
  readonly #heapMb: number
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  /** The change that is being written. */
  #current: { vectorsOf: VectorReader; done: PromiseWithResolvers<void> } | undefined
  #written = ''
  #failure: unknown

  constructor(index: IndexAddress, { heapMb = defaultHeapMb, spools = [] }: WriterOptions = {}) {
    this.#index = index
    this.#heapMb = heapMb
    try {
      this.#child = forkWriter(heapMb, spools)
    } catch (error) {
      throw startError('writes the index', error)
    }
    this.#child.on('message', (message: FromWriter) => this.#receive(message))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#written = (this.#written + text).slice(-mostWritten)
    })
    this.#child.on('error', (error) => {
      this.#failure ??= this.#child.pid === undefined ? startError('writes the index', error) : error
    })
    this.#ended = new Promise<void>((resolve) => {
      this.#child.once('close', () => resolve())
      // A process that never started has no `close` event.
      this.#child.once('error', () => this.#child.pid === undefined && resolve())
    })
  }

  /** @throws AgentKitError when the process has ended and nothing of the change was committed */
  async apply(change: Change, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw abortError(signal)
    const done = Promise.withResolvers<void>()
    const abort = (): void => this.#send({ type: 'abort' })
    this.#current = { vectorsOf: vectorReader(change), done }
    this.#send({ type: 'change', change: writerChange(this.#index, change) })
    signal.addEventListener('abort', abort)
    try {
      const isApplied = await Promise.race([done.promise.then(() => true), this.#ended.then(() => false)])
      if (isApplied) return
      if (signal.aborted) throw abortError(signal)
      throw this.#failure ?? endedEarly(change, this.#written, this.#heapMb)
    } finally {
      signal.removeEventListener('abort', abort)
      this.#current = undefined
    }
  }

  /** Lets the process take the changes into the indexes; its failure or an abort leaves that to this process. */
  end(signal: AbortSignal): Promise<void> {
    return this.#finish({ type: 'end' }, signal)
  }

  /** Lets the process maintain the index; its failure or an abort leaves that to this process. */
  maintain(signal: AbortSignal): Promise<void> {
    return this.#finish({ type: 'maintain', index: this.#index }, signal)
  }

  async #finish(message: ToWriter, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return this.stop()
    const stop = (): void => void this.stop()
    signal.addEventListener('abort', stop)
    this.#send(message)
    await this.#ended
    signal.removeEventListener('abort', stop)
  }

  /** Ends the process at once: nothing of an uncommitted change stays. */
  async stop(): Promise<void> {
    // After `disconnect()` there would be no `close` event.
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  #receive(message: FromWriter): void {
    switch (message.type) {
      case 'vectors':
        void this.#sendVectors(message.of)
        break
      case 'applied':
        this.#current?.done.resolve()
        break
      case 'failed': {
        const { code, message: text, retryable, cause } = message
        this.#failure ??= new AgentKitError(code, text, { retryable, cause })
        break
      }
    }
  }

  async #sendVectors(of: number): Promise<void> {
    try {
      const vectors = await this.#current?.vectorsOf(of)
      if (vectors !== undefined) this.#send({ type: 'vectors', vectors })
    } catch (error) {
      this.#failure ??= error
      this.#send({ type: 'abort' })
    }
  }

  /** A process that has ended cannot be written to, which its exit reports. */
  #send(message: ToWriter): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }
}

function forkWriter(heapMb: number, spools: readonly SpoolParts[]): ChildProcess {
  // `#index-writer` of the package.json is `writer-process.ts`.
  const script = createRequire(import.meta.url).resolve('#index-writer')
  return fork(script, [], {
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
}

/** A change may have 2,000 files. */
const mostNamed = 3

function filesOf(files: readonly string[]): string {
  const named = files.slice(0, mostNamed).map((file) => `"${file}"`)
  const others = files.length - named.length
  return [...named, ...(others > 0 ? [counted(others, 'other file')] : [])].join(', ')
}

function endedEarly({ changed }: Change, written: string, heapMb: number): AgentKitError {
  const files = filesOf(changed.map(({ record }) => record.file))
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
      chunks: isSliced(chunks) ? readable(chunks, () => descriptor++) : chunks,
    })),
  }
}

function readable({ length, spool, packed }: ChunkSlices, nextDescriptor: () => number): SpooledFile | PackedFile {
  if (packed !== undefined) return { packed }
  // The cast holds: `isForProcess` has checked that there is a spool. The child's descriptor is the index in `stdio`.
  return { length, spool: { ...(spool as SpoolParts), descriptor: nextDescriptor() } }
}

type VectorReader = (of: number) => Promise<(Float32Array | undefined)[]>

/** Reads the vectors of each next slice of a file. */
function vectorReader({ changed }: Change): VectorReader {
  const readers = changed.map(({ chunks }) =>
    isSliced(chunks) ? chunks.slices({ vectors: true })[Symbol.asyncIterator]() : undefined,
  )
  return async (of) => {
    const next = await readers[of]?.next()
    // Copies, as a view would be sent with the whole buffer below it.
    return next === undefined || next.done === true ? [] : next.value.map(({ vector }) => vector?.slice())
  }
}
