import { open } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import type { Citation, Knowledge } from '@agentkit/core'
import { checkOptions, firstChars, isText, knowledgeOf, messageOf } from '@agentkit/core/internal'
import type { Scorer } from '../data/scorer.ts'
import { limits } from '../limits.ts'
import { claimsOf, hasClaim, normalized } from './claims.ts'
import { withoutPlaces } from './places.ts'
import { cut } from './text-scorers.ts'

/** The options of `citations`. */
export type CitationsOptions = {
  /** The folder of the cited files, for an agent without knowledge of its own: plain text in UTF-8. */
  folder?: string
}

/**
 * Whether the answer can be looked up in its sources, without a model: the share of these that hold.
 *
 * - Each quote is in its file. The knowledge of the agent and its members reads the file, else `folder` has it; without
 *   both, this is not checked, and the reason says so. Quotes of earlier conversations are in no file.
 * - Each sentence with a number, a date or a name has a source whose quote contains it, or the heading above it. An answer
 *   without any needs no source, and the page or row of a source is none.
 *
 * Only a reader can decide whether a quote supports a sentence: see {@link judge}.
 *
 * @throws AgentKitError `invalid-argument` for an unknown option
 * @example
 * await evaluate({ agent, cases: 'questions.jsonl', scorers: [citations()] })
 */
export function citations(options: CitationsOptions = {}): Scorer {
  checkOptions(options, { folder: isText }, { of: 'citations' })
  const { folder } = options
  return {
    name: 'citations',
    version: folder ?? '',
    async score({ result: { text, sources }, agent }, signal) {
      const reader = quoteReader(knowledgeOf(agent), folder)
      const problems: string[] = []
      let checks = 0
      const inFiles = sources.filter(({ session }) => session === undefined)
      for (const source of reader ? inFiles : []) {
        signal.throwIfAborted()
        checks++
        const problem = await reader?.(source)
        if (problem !== undefined) problems.push(`${source.file}: ${problem}`)
      }
      const files = sources.flatMap(({ file }) => [file, file.slice(file.lastIndexOf('/') + 1)])
      // The model has read the heading above a passage too.
      const quotes = sources.map(({ heading, quote }) => normalized(heading ? `${heading}\n${quote}` : quote))
      // An address may end with a slash: without a name there is nothing to leave out.
      for (const { sentence, claims } of claimsOf(withoutPlaces(text, sources), [...new Set(files)].filter(Boolean))) {
        checks++
        const absent = claims.filter((claim) => !quotes.some((quote) => hasClaim(quote, claim)))
        if (absent.length > 0) problems.push(`no source has ${absent.join(', ')} of "${firstChars(sentence, 100)}"`)
      }
      const unchecked = reader || inFiles.length === 0 ? [] : ['the files of the quotes were not read: pass `folder`']
      const score = checks === 0 ? 1 : (checks - problems.length) / checks
      const reason = cut([...problems, ...unchecked].join('; '))
      return reason === '' ? score : { score, reason }
    },
  }
}

/** Compares a quote with its file. @returns the problem of the quote, if it has one */
type QuoteReader = (source: Citation) => Promise<string | undefined>

function quoteReader(knowledge: readonly Knowledge[], folder: string | undefined): QuoteReader | undefined {
  if (folder !== undefined) return (source) => compareWithFile(source, folder)
  const readers = knowledge.filter(({ passage }) => passage !== undefined)
  if (readers.length === 0) return undefined
  return async ({ chunkId, quote }) => {
    let problem: string | undefined
    for (const reader of readers) {
      try {
        const passage = await reader.passage?.(chunkId, { context: 0 })
        if (passage?.stale) return 'the file has changed since'
        return passage?.quote === quote ? undefined : 'the quote is not in the file'
      } catch (error) {
        problem = `the quote cannot be looked up (${firstChars(messageOf(error), 100)})`
      }
    }
    return problem
  }
}

async function compareWithFile({ file, quote }: Citation, folder: string): Promise<string | undefined> {
  // Every file has it.
  if (normalized(quote) === '') return 'the quote is empty'
  const path = resolve(folder, file)
  const within = relative(resolve(folder), path)
  if (within.startsWith('..') || isAbsolute(within)) return 'the file is outside of the folder'
  try {
    const text = await readText(path)
    if (text === undefined) return 'the file is too large'
    return normalized(text).includes(normalized(quote)) ? undefined : 'the quote is not in the file'
  } catch {
    return 'the file cannot be read'
  }
}

async function readText(path: string): Promise<string | undefined> {
  const handle = await open(path)
  try {
    return (await handle.stat()).size > limits.quotedFileBytes ? undefined : await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
