import {
  AgentKitError,
  type Memory,
  type MemoryHit,
  type MemoryOf,
  type MemoryOptions,
  type MemoryStore,
} from '@agentkit/core'
import { checkOptionNames, invalidArgument, untilAborted } from '@agentkit/core/internal'
import { heldIndexes } from './held-indexes.ts'
import { limits } from './limits.ts'
import { type MemoryCalls, noteTools, recallTool } from './memory-tools.ts'
import { addNote, promptNotes } from './notes.ts'
import { checkMemoryOptions } from './options.ts'
import type { TurnIndex } from './turn-index.ts'

/**
 * The memory of an agent, over its session store: the tool `recall` searches the same user's earlier turns with this
 * agent by their words, and cites session, run, time and quote; `remember` and `forget` keep at most 50 notes of 500
 * characters, which are placed before the newest question. No model extracts notes.
 *
 * @param options `recall`, `notes` (both true by default), `days`
 * @returns the value of an agent's option `memory`
 * @throws AgentKitError `invalid-argument` for an unknown or invalid option, with the fix
 * @example
 * const agent = new Agent({ name: 'Garden', functions: [], model, sessions, memory: createMemory() })
 * await agent.chat('I have an apple tree.', { userId: 'ada', sessionId: 'monday' })
 * const hits = await agent.memory.search('apple', { userId: 'ada' })
 */
export function createMemory(options: MemoryOptions = {}): MemoryOf {
  checkMemoryOptions(options)
  const { recall = true, notes = true, days } = options
  return ({ agentId, sessions }) => {
    const store = sessions.memory
    if (!store) {
      const fix = 'Use sqliteSessions, postgresSessions or memorySessions, or leave `memory` out.'
      throw new AgentKitError('unsupported', `The session store of "${agentId}" keeps no memory. ${fix}`)
    }
    const now = (): number => sessions.runs?.now() ?? Date.now()
    const since = (): number => (days === undefined ? 0 : now() - days * 86_400_000)
    const search = searcher(store, agentId, { now, since })
    const calls: MemoryCalls = {
      search: (query, { userId, signal }) => untilAborted(signal, search(query, userId, limits.usualHits)),
      remember: (text, { userId, runId, sessionId = runId }) =>
        addNote(store, { agentId, userId }, { text, runId, within: sessionId }),
      forget: (noteId, { userId }) => store.removeNote({ agentId, userId }, noteId),
    }
    const memory: Memory = {
      async search(query, options) {
        const userId = userOf(options, { limit: true })
        const { limit = limits.usualHits } = options
        if (!Number.isInteger(limit) || limit < 1 || limit > limits.hits) {
          throw invalidArgument(`\`limit\` is a whole number from 1 to ${limits.hits}.`)
        }
        return search(query, userId, limit)
      },
      notes: async (options) => store.notes({ agentId, userId: userOf(options) }),
      delete: async (options) => store.clear({ agentId, userId: userOf(options) }),
    }
    return {
      ...memory,
      tools: [...(recall ? [recallTool(calls)] : []), ...(notes ? noteTools(calls) : [])],
      ...(notes && { promptNotes: promptNotes(store, agentId) }),
    }
  }
}

/** Searches with the indexes of the users that searched last. */
function searcher(
  store: MemoryStore,
  agentId: string,
  { now, since }: { now: () => number; since: () => number },
): (query: string, userId: string, limit: number) => Promise<MemoryHit[]> {
  const held = heldIndexes<TurnIndex>(limits.heldBytes)
  return async (query, userId, limit) => {
    if (typeof query !== 'string' || query.trim() === '' || query.length > limits.queryChars) {
      throw invalidArgument(`A query is a text of 1 to ${limits.queryChars} characters.`)
    }
    // Loaded here: most runs recall nothing.
    const [{ turnIndex }, { toHits }] = await Promise.all([import('./turn-index.ts'), import('./to-hits.ts')])
    const index = held.take(userId) ?? turnIndex(store, { agentId, userId }, now)
    held.put(userId, index)
    const found = await index.search(query, limit, since())
    held.put(userId, index)
    return toHits(query, found)
  }
}

/** @param options as callers without types pass them */
function userOf(options: { userId?: unknown } | undefined, others: Record<string, true> = {}): string {
  if (options) checkOptionNames(options, { userId: true, ...others }, { code: 'invalid-argument' })
  const userId = options?.userId
  if (typeof userId === 'string' && userId !== '') return userId
  throw invalidArgument('Pass `userId`: whose memory it is.')
}
