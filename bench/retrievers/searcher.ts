/** Makes a folder searchable, with its index in another folder. */
export interface Searcher {
  sync(): Promise<void>
  /** The number of passages found. */
  search(question: string): Promise<number>
  /** Resolves when the background work of a sync is done. */
  settled(): Promise<void>
  close(): Promise<void>
}

export type OpenSearcher = (folder: string, index: string) => Searcher
