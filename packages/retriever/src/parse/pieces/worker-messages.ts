import type { FoundFile } from '../../data/file-record.ts'
import type { PackedPart } from '../../data/pack-chunks.ts'
import type { Block, Parsed } from '../../data/piece.ts'
import type { UnreadableStatus } from '../../data/unreadable-file.ts'

/** A request to a worker about a file: `file` is the name that determines its type, `path` the place of its bytes. */
export type ParseRequest = { file: string; path: string; maxBytes: number } & (
  | { do: 'chunk'; found?: FoundFile; unlessHash?: string }
  | { do: 'extract' }
)

/** A message to a worker. */
export type ToWorker =
  | { type: 'start'; files: { id: number; request: ParseRequest }[] }
  /** The file's answer is no longer needed. The worker still sends it. */
  | { type: 'cancel'; id: number }
  /** A part has arrived: the worker may send another one. */
  | { type: 'more'; id: number }

/** A part of a large result, small enough not to keep the main thread busy. Its blocks count from the whole's start. */
export type ParsePart =
  /** They may wait and go to another process without being looked at. */
  PackedPart | { text: string; blocks: PlacedBlock[]; page?: number }

export type PlacedBlock = Block & { page?: number }

/** The last that is said of a file. */
export type ParseEnd =
  | { outcome: 'unchanged'; hash: string }
  /** Something else than the file that was found is at its path. */
  | { outcome: 'replaced'; hash: '' }
  | { outcome: 'unreadable'; hash: string; status: UnreadableStatus; reason: string; isMissing?: true }
  | { outcome: 'read'; hash: string; parsed: Parsed; characters: number; part: ParsePart }

/** A message from a worker, which finishes files in the order of the requests, and reports several together. */
export type FromWorker =
  | { type: 'ready' }
  | { type: 'part'; id: number; part: ParsePart }
  | { type: 'ends'; ends: { id: number; end: ParseEnd }[] }
