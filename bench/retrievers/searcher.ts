/** What makes a folder searchable, and keeps what it made in another one. */
export interface Searcher {
  sync(): Promise<void>
  /** How many passages it found. */
  search(question: string): Promise<number>
  /** When the work is done that went on behind a sync. */
  settled(): Promise<void>
  close(): Promise<void>
}

export type OpenSearcher = (folder: string, index: string) => Searcher
