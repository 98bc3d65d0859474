import type { Chunk } from '../data/chunk.ts'
import type { FileRecord } from '../data/file-record.ts'
import type { Hit } from '../search.ts'

/** What the tools need of a retriever. */
export interface Library {
  search(query: string, options: { limit?: number; paths?: readonly string[]; signal?: AbortSignal }): Promise<Hit[]>
  /** A file's passages in their order; none of an unknown file. */
  read(file: string, options?: { from?: number; limit?: number }): Promise<Chunk[]>
  /** Every file that was looked at, readable or not. */
  records(): Promise<FileRecord[]>
}
