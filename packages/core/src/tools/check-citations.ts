import type { Citation } from '../data/citation.ts'
import { AgentKitError } from '../data/errors.ts'
import type { JSONValue } from '../data/message.ts'
import { limits } from '../limits.ts'
import { cloneJSON } from '../util/clone-json.ts'
import { measureJSON } from '../util/measure-json.ts'

/**
 * Checks what a tool cites: it goes into events, results and stores.
 * @returns its own copies
 * @throws AgentKitError `invalid-argument` for what is no list of citations, saying what is missing
 */
export function checkCitations(cited: unknown): Citation[] {
  if (!Array.isArray(cited)) throw invalid('takes a list of citations')
  // Not `map`, which skips holes: they would end the run where it is stored.
  const checked: Citation[] = []
  for (const [index, citation] of cited.entries()) {
    const missing = missingIn(citation)
    if (missing !== undefined) throw invalid(`was given a citation (number ${index + 1}) ${missing}`)
    const { problem } = measureJSON(citation, { depth: limits.argumentDepth, values: limits.argumentValues })
    if (problem !== undefined) throw invalid(`was given a citation (number ${index + 1}) that is no plain JSON`)
    // What has been checked.
    checked.push(cloneJSON(citation as JSONValue) as Citation)
  }
  return checked
}

const wanted = { file: 'string', start: 'number', end: 'number', quote: 'string', chunkId: 'string' } as const

function missingIn(citation: unknown): string | undefined {
  if (typeof citation !== 'object' || citation === null) return 'that is no object'
  const fields = citation as Record<string, unknown>
  for (const [name, type] of Object.entries(wanted)) {
    if (typeof fields[name] !== type) return `without a ${type} \`${name}\``
  }
  const { score } = fields
  const isScored = typeof score === 'object' && score !== null && 'fused' in score && typeof score.fused === 'number'
  return isScored ? undefined : 'without a `score`'
}

function invalid(problem: string): AgentKitError {
  const form = '{ file, start, end, quote, chunkId, score: { fused } }'
  return new AgentKitError('invalid-argument', `\`cite\` ${problem}. Pass citations such as ${form}.`)
}
