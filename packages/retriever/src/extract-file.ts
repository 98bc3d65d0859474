import { createParsePool, type ExtractedFile, type ParsePool } from './parse/parse-pool.ts'

export type ExtractFileOptions = {
  /** A larger file is refused. */
  maxFileBytes?: number
  signal?: AbortSignal
}

/** For all calls: its worker ends by itself some seconds after the last. */
let pool: ParsePool | undefined

/**
 * The text of a file, as the index knows it: `text.slice(start, end)` is the quote of each of its citations.
 *
 * @throws AgentKitError `unreadable-file`, whose `status` says why; `not-found`; `aborted`
 */
export async function extractFile(
  path: string,
  { maxFileBytes = 200_000_000, signal = new AbortController().signal }: ExtractFileOptions = {},
): Promise<ExtractedFile> {
  pool ??= createParsePool()
  return await pool.extract(path, { maxBytes: maxFileBytes, signal })
}
