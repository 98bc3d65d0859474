import type { Citation } from '../data/citation.ts'
import { type AgentKitError, invalidArgument } from '../data/errors.ts'
import type { JSONValue } from '../data/message.ts'
import { limits } from '../limits.ts'
import { cloneJSON } from '../util/json/clone-json.ts'
import { measureJSON } from '../util/json/measure-json.ts'

/**
 * Checks the citations of a tool, which are emitted and stored.
 * @returns copies
 * @throws AgentKitError `invalid-argument` for an invalid list of citations, with what is missing
 */
export function checkCitations(cited: unknown): Citation[] {
  if (!Array.isArray(cited)) throw invalid('takes a list of citations')
  // Not `map`, which skips holes: the store would reject them and fail the run.
  const checked: Citation[] = []
  for (const [index, citation] of cited.entries()) {
    const missing = missingIn(citation)
    if (missing !== undefined) throw invalid(`was given a citation (number ${index + 1}) ${missing}`)
    const { problem } = measureJSON(citation, { depth: limits.argumentDepth, values: limits.argumentValues })
    if (problem !== undefined) throw invalid(`was given a citation (number ${index + 1}) that is not plain JSON`)
    // The checks above cover the cast.
    checked.push(cloneJSON(citation as JSONValue) as Citation)
  }
  return checked
}

const wanted = { file: 'string', start: 'number', end: 'number', quote: 'string', chunkId: 'string' } as const

function missingIn(citation: unknown): string | undefined {
  if (typeof citation !== 'object' || citation === null) return 'that is not an object'
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
  return invalidArgument(`\`cite\` ${problem}. Pass citations such as ${form}.`)
}
