import { checkOptions, checkText } from './data/check-arguments.ts'
import { usualMaxFileBytes } from './options.ts'
import { createParsePool, type ExtractedFile, type ParsePool } from './parse/pool/parse-pool.ts'

/** The limits of reading one file. */
export type ExtractFileOptions = {
  /** A larger file is refused; default 200 MB. */
  maxFileBytes?: number
  signal?: AbortSignal
}

/** For all calls: its worker ends by itself some seconds after the last. */
let pool: ParsePool | undefined

/**
 * The text of a file, as the index knows it: `text.slice(start, end)` is the quote of each of its citations.
 *
 * @param path of a file of a supported type, inside or outside of an indexed folder
 * @throws AgentKitError `unreadable-file`, whose `status` says why; `not-found`; `aborted`; `invalid-argument`
 * @example
 * const { text } = await extractFile('docs/handbook.pdf')
 * console.log(text.slice(citation.start, citation.end) === citation.quote)
 */
export async function extractFile(path: string, options?: ExtractFileOptions): Promise<ExtractedFile> {
  checkText('extractFile()', path, 'name a file, such as "docs/handbook.pdf"')
  checkOptions('extractFile()', options, ['maxFileBytes', 'signal'])
  const { maxFileBytes = usualMaxFileBytes, signal = new AbortController().signal } = options ?? {}
  pool ??= createParsePool()
  return await pool.extract(path, { maxBytes: maxFileBytes, signal })
}
