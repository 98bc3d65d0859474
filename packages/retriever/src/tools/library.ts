import type { ToolContext } from '@agentkit/core'
import type { Chunk, Place } from '../data/chunk.ts'
import type { Hit } from '../data/cite.ts'
import type { FileRecord } from '../data/file-record.ts'

type LibrarySearch = {
  limit?: number
  paths?: readonly string[]
  signal?: AbortSignal
  onWarning?(warning: string): void
}

/** The part of a retriever that the tools use. */
export interface Library {
  search(query: string, options: LibrarySearch): Promise<Hit[]>
  /** The places of a file's passages, in order; empty for an unknown file. */
  places(file: string): Promise<Place[]>
  /** Passages in the order of their ids; those that are gone are left out. */
  chunks(ids: readonly string[]): Promise<Chunk[]>
  /** Every indexed file, readable or not. */
  records(): Promise<FileRecord[]>
  /** Whether the passages of a file are of an earlier version, because the present one cannot be read. */
  isStale(file: string): Promise<boolean>
}

/** The library that a call of a tool may see. */
export type LibraryOf = (context: Pick<ToolContext, 'userId'>) => Library
