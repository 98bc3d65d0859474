import { isRecord } from '@agentkit/core/internal'
import { invalid } from '../../answer/field-problems.ts'
import { ProblemError } from '../../answer/problem.ts'
import type { RouteParts } from '../../request/parts.ts'
import { findResponse } from './find-response.ts'
import { responseId } from './response-body.ts'
import type { Item } from './response-items.ts'
import { storedResponse } from './stored-response.ts'

type Reference = { type: 'item_reference'; id: unknown }

/** The limits of one request: a short reference may mean a text of any length, and costs a read of the store. */
const most = { responses: 1_000, characters: 8_000_000 }

/**
 * The body of a request with the items that it refers to. Some clients, such as the AI SDK, send the ids of the
 * answered items in place of the items.
 *
 * @param userId of the request
 * @throws ProblemError `not-found` for an item that is not stored, or another user's; `invalid-field` for more than a request may
 *   refer to
 */
export async function withReferences(parts: RouteParts, body: unknown, userId: () => string): Promise<unknown> {
  if (!isRecord(body) || !Array.isArray(body.input) || !body.input.some(isReference)) return body
  const outputs = new Map<string, Promise<readonly Item[]>>()
  const outputOf = (runId: string): Promise<readonly Item[]> => {
    const known = outputs.get(runId) ?? storedOutput(parts, runId, userId())
    outputs.set(runId, known)
    return known
  }
  const input: unknown[] = []
  const lengths = new Map<unknown, number>()
  const calls = new Set<unknown>()
  let characters = 0
  for (const [index, item] of body.input.entries()) {
    const read = isReference(item) ? await itemOf(item, index, outputOf) : item
    if (read !== item) {
      const length = lengths.get(read) ?? JSON.stringify(read).length
      lengths.set(read, length)
      characters += length
    }
    if (outputs.size > most.responses || characters > most.characters) {
      const bounds = `${most.responses} responses and ${most.characters} characters`
      throw invalid(['input', index], `refers to more than ${bounds} in all. Continue by previous_response_id instead`)
    }
    // A client may have an item of a call before its approval, and one after it: it is one call.
    const isKnownCall = read !== item && isRecord(read) && read.type === 'mcp_call' && calls.has(read.id)
    if (isRecord(read) && read.type === 'mcp_call') calls.add(read.id)
    input.push(isKnownCall ? { type: 'mcp_call' } : read)
  }
  return { ...body, input }
}

function isReference(item: unknown): item is Reference {
  return isRecord(item) && item.type === 'item_reference'
}

async function itemOf(
  { id }: Reference,
  index: number,
  outputOf: (runId: string) => Promise<readonly Item[]>,
): Promise<unknown> {
  const [, kind, runId = ''] = (typeof id === 'string' && /^(msg|rs|mcp)_(.+)_\d+$/s.exec(id)) || []
  if (kind === 'rs') return { type: 'reasoning' }
  if (typeof id === 'string' && /^run_[^/]+\/./.test(id)) return { type: 'mcp_approval_request' }
  const output = kind === undefined ? [] : await outputOf(runId)
  // A call that is no longer there is left out: the answer that was made of it is a message.
  if (kind === 'mcp') return output.find((each) => each.id === id) ?? { type: 'mcp_call' }
  const messages = output.filter(({ type }) => type === 'message')
  // A retried step has skipped numbers in the stream; the stored items are numbered without gaps.
  const item = messages.find((each) => each.id === id) ?? messages.at(-1)
  if (item) return item
  const errors = [{ path: ['input', index, 'id'], message: 'does not exist' }]
  throw new ProblemError('not-found', { detail: 'There is no such item.', errors })
}

async function storedOutput(parts: RouteParts, runId: string, userId: string): Promise<readonly Item[]> {
  try {
    const found = await findResponse(parts, responseId(runId), { userId, param: 'input' })
    const { output } = (await storedResponse(parts, found)) as { output: readonly Item[] } // a response has its items
    return output
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'not-found') return []
    throw error
  }
}
