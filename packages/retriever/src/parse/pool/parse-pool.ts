import { availableParallelism } from 'node:os'
import { AgentKitError } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import type { Chunk } from '../../data/chunk.ts'
import type { ChunkSlices } from '../../data/chunk-slices.ts'
import { extOf } from '../../data/ext-of.ts'
import type { FoundFile } from '../../data/file-record.ts'
import type { Parsed } from '../../data/piece.ts'
import { type UnreadableStatus, unreadableFile } from '../../data/unreadable-file.ts'
import type { ParseEnd, ParsePart, ParseRequest, PlacedBlock } from '../pieces/worker-messages.ts'
import { collectPassages, type PartTaker } from './collect-passages.ts'
import { type ParseLimits, usualLimits } from './parse-limits.ts'
import { PoolWorker } from './pool-worker.ts'
import type { SpooledChunks, Spools } from './spool.ts'
import { fullLoad, type Task } from './task.ts'

export type ParsePoolOptions = Partial<ParseLimits> & {
  /** The largest number of processes; one is enough for text. */
  processes?: number
  /** The time after which an idle process exits. */
  idleMs?: number
  /** Replaces the module of the processes; for tests. */
  script?: string
}

/** Reads files in separate processes, so that no file can block, exhaust or crash this one. */
export interface ParsePool {
  /**
   * Reads, hashes, parses and chunks a file. A failure of the file is an outcome; only an abort and bugs are thrown.
   * @param file.file relative to the folder, with `/`
   * @param file.path on disk
   * @param file.size in bytes, if known: it helps to balance the work
   * @param file.found the file that the scan found: another one, or a link, is `replaced`
   */
  read(file: { file: string; path: string; size?: number; found?: FoundFile }, options: ReadOptions): Promise<ReadFile>
  /**
   * The text that passages are cut from.
   * @param options.file the name that says its type; absent, its path
   * @throws UnreadableFile; `not-found`
   */
  extract(path: string, options: Pick<ReadOptions, 'maxBytes' | 'signal'> & { file?: string }): Promise<ExtractedFile>
  /** Ends the processes; pending calls reject with `aborted`. */
  close(): Promise<void>
}

export type ReadOptions = {
  /** Storage for the passages of large files; absent, they are all in memory. */
  spools?: Spools
  /** Whether passages in memory stay as bytes, for another process. */
  isPacked?: boolean
  /** A file with this hash is not parsed. */
  unlessHash?: string
  maxBytes: number
  signal: AbortSignal
}

/** `hash` is the `hash` of a `FileRecord`. */
export type ReadFile<Chunks = Chunk[] | SpooledChunks | ChunkSlices> =
  | { outcome: 'unchanged'; hash: string }
  | { outcome: 'replaced'; hash: '' }
  | { outcome: 'unreadable'; hash: string; status: UnreadableStatus; reason: string }
  | { outcome: 'read'; hash: string; parsed: Parsed; characters: number; chunks: Chunks }

/** The text of a file. All offsets refer to `text`. */
export type ExtractedFile = Pick<Parsed, 'status' | 'reason' | 'title'> & {
  text: string
  blocks: PlacedBlock[]
  /** The offsets of each page's text in a PDF. */
  pages?: { start: number; end: number }[]
}

/** Starts no process before the first file; idle processes let the program exit. */
export function createParsePool({
  processes = usualProcesses(),
  memoryMb = usualLimits.memoryMb,
  cpuSeconds = usualLimits.cpuSeconds,
  wallPerCpu = usualLimits.wallPerCpu,
  idleMs = 5_000,
  script,
}: ParsePoolOptions = {}): ParsePool {
  const workers = new Set<PoolWorker>()
  let waiting: Task[] = []
  let isClosed = false

  return {
    async read({ file, path, size, found }, { unlessHash, maxBytes, signal, spools, isPacked = false }) {
      const request: ParseRequest = {
        do: 'chunk',
        file,
        path,
        maxBytes,
        ...(found && { found }),
        ...(unlessHash && { unlessHash }),
      }
      const passages = collectPassages(file, { ...(spools && { spools }), isPacked })
      const end = await run(request, weightOf(file, size), signal, passages)
      if (end.outcome !== 'read') passages.drop()
      switch (end.outcome) {
        case 'unchanged':
        case 'replaced':
          return end
        case 'unreadable':
          return { outcome: 'unreadable', hash: end.hash, status: end.status, reason: end.reason }
        case 'read':
          return {
            outcome: 'read',
            hash: end.hash,
            parsed: end.parsed,
            characters: end.characters,
            chunks: passages.end(),
          }
      }
    },

    async extract(path, { maxBytes, signal, file = path }) {
      const parts: ParsePart[] = []
      const taker: PartTaker = { add: (part) => parts.push(part), clear: () => parts.splice(0) }
      const end = await run({ do: 'extract', file, path, maxBytes }, weightOf(file), signal, taker)
      if (end.outcome === 'unchanged' || end.outcome === 'replaced')
        throw new AgentKitError('storage', `${path} was not read.`)
      if (end.outcome === 'unreadable') {
        if (end.isMissing) throw new AgentKitError('not-found', `There is no file ${path}.`)
        throw unreadableFile(end.status, `${path} cannot be read. ${end.reason}`)
      }
      return toExtracted(end.parsed, parts)
    },

    async close() {
      isClosed = true
      const closed = new AgentKitError('aborted', 'The reader of files was closed.')
      for (const task of waiting) task.reject(closed)
      waiting = []
      await Promise.all([...workers].map((worker) => worker.close(closed)))
    },
  }

  function run(request: ParseRequest, weight: number, signal: AbortSignal, taker: PartTaker): Promise<ParseEnd> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortError(signal))
      if (isClosed) return reject(new AgentKitError('aborted', 'The reader of files was closed.'))
      const settle = (): void => signal.removeEventListener('abort', stop)
      const task: Task = {
        request,
        weight,
        onPart: (part) => orLeave(() => taker.add(part)),
        onRestart: () => orLeave(() => taker.clear()),
        resolve(end) {
          settle()
          if (end.outcome === 'read') orLeave(() => taker.add(end.part))
          resolve(end)
        },
        reject(error) {
          settle()
          reject(error)
        },
      }
      const leave = (error: unknown): void => {
        task.reject(error)
        waiting = waiting.filter((other) => other !== task)
        for (const worker of workers) worker.cancel(task)
      }
      const stop = (): void => leave(abortError(signal))
      // A disk may be full: that fails the caller, and not the process, whose listener this runs in.
      const orLeave = (work: () => void): void => {
        try {
          work()
        } catch (error) {
          leave(error)
        }
      }
      signal.addEventListener('abort', stop)
      waiting.push(task)
      assignTasks()
    })
  }

  function assignTasks(): void {
    for (let [task] = waiting; task !== undefined; [task] = waiting) {
      const worker = freeWorker(task)
      if (worker === undefined) return
      waiting.shift()
      worker.run(task)
    }
  }

  /**
   * Another process is started only for files that take long: it costs memory and startup time, and one process reads text
   * faster than it is indexed.
   */
  function freeWorker({ weight, isRetry }: Task): PoolWorker | undefined {
    let freest: PoolWorker | undefined
    for (const worker of workers) if (freest === undefined || worker.load < freest.load) freest = worker
    const mayStart = workers.size < processes
    // A fresh process has no leftovers of earlier files.
    const needsNew = isRetry === true && mayStart
    if (freest !== undefined && !needsNew) {
      if (freest.load === 0 || freest.load + weight <= fullLoad) return freest
      if (!mayStart || weight < fullLoad) return undefined
    }
    const worker = new PoolWorker({
      limits: { memoryMb, cpuSeconds, wallPerCpu },
      idleMs,
      ...(script !== undefined && { script }),
      onFree: assignTasks,
      onEnd(left) {
        workers.delete(worker)
        waiting.unshift(...left)
        assignTasks()
      },
    })
    workers.add(worker)
    return worker
  }
}

/** One process per core, at most 4: each may use its full memory limit. */
export function usualProcesses(): number {
  return Math.min(4, availableParallelism())
}

function weightOf(file: string, size = 0): number {
  const isSlow = ['.pdf', '.docx'].includes(extOf(file))
  return isSlow ? fullLoad : Math.min(fullLoad, 1 + Math.floor(size / 8_000))
}

function toExtracted({ pages: pageCount, ...parsed }: Parsed, parts: readonly ParsePart[]): ExtractedFile {
  const texts: string[] = []
  const blocks: PlacedBlock[] = []
  const pages: { start: number; end: number }[] = []
  let length = 0
  for (const part of parts) {
    if (!('text' in part)) continue
    const end = length + part.text.length
    texts.push(part.text)
    for (const block of part.blocks) blocks.push(block)
    if (part.page !== undefined) placePage(pages, part.page, length, end)
    length = end
  }
  if (pageCount === undefined) return { text: texts.join(''), blocks, ...parsed }
  placePage(pages, pageCount + 1, length, length)
  return { text: texts.join(''), blocks, ...parsed, pages: pages.slice(0, pageCount) }
}

/** Earlier pages without text are empty, with their offsets. */
function placePage(pages: { start: number; end: number }[], page: number, start: number, end: number): void {
  const begun = pages[page - 1]
  if (begun !== undefined) {
    begun.end = end
    return
  }
  while (pages.length < page - 1) pages.push({ start, end: start })
  pages.push({ start, end })
}
