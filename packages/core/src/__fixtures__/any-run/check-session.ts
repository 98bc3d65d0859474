import { isDeepStrictEqual } from 'node:util'
import { scriptedModel } from '@agentkit/testing'
import { Agent } from '../../agents/agent.ts'
import type { Message } from '../../data/message.ts'
import { statusOf } from '../../runs/end-turn.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import type { SessionKey, Turn } from '../../data/session-data.ts'
import { validateTranscript, visibleMessages } from '../../data/transcript.ts'
import type { AnyRun } from './start-any-run.ts'

/** The single session of a conversation. */
export const key: SessionKey = { agentId: 'test', userId: 'default', sessionId: 's' }

/** A session as stored. */
export type Snapshot = { messages: readonly Message[]; turns: readonly Turn[] }

export async function snapshotOf(store: SessionStore): Promise<Snapshot> {
  return { messages: (await store.load(key))?.messages ?? [], turns: structuredClone(await store.turns(key)) }
}

/** Checks the invariants of a session between its turns. @returns the violations */
export function checkSession(before: Snapshot, after: Snapshot): string[] {
  const problems = validateTranscript(after.messages).map(({ index, problem }) => `stored message ${index}: ${problem}`)
  before.turns.forEach((turn, index) => {
    const now = after.turns[index]
    const isOver = turn.status === 'done' || turn.status === 'failed'
    const isSame = now?.runId === turn.runId && beginsWith(now.messages, turn.messages)
    if (!isSame || (isOver && !isDeepStrictEqual(now, turn)))
      problems.push(`turn ${index} is another one: ${show(turn)} → ${show(now)}`)
  })
  return problems
}

/** Whether a run's result matches its stored turn. Only for runs whose store did not fail. */
export async function checkStored({ runId, result }: AnyRun, store: SessionStore): Promise<string[]> {
  const { finishReason, messages, error } = result
  const turn = await store.find(runId)
  if (!turn) return finishReason === 'approval' ? ['the run waits, and is not stored'] : []
  const stored = visibleMessages(turn)
  const differs = [`it ended in ${finishReason}, ${turn.status} is stored: ${show(messages)} and ${show(stored)}`]
  // A write that is in progress when a run is stopped may still complete, so that the run is suspended.
  if (error || finishReason === 'budget') {
    const kept = resultsOf(stored)
    return resultsOf(messages).every((callId) => kept.includes(callId)) ? [] : differs
  }
  const isSame = isDeepStrictEqual(stored.slice(stored.length - messages.length), plain(messages))
  return isSame && turn.status === statusOf(finishReason) ? [] : differs
}

function resultsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
}

/** The session accepts its next turn, whose model gets all that is stored. */
export async function checkNextTurn(sessions: SessionStore, store: SessionStore): Promise<string[]> {
  const model = scriptedModel(['Still here.'])
  const agent = new Agent({ name: 'Test', functions: [], model, sessions })
  const { finishReason, text, error } = await agent.stream('Are you there?', { sessionId: 's', timeoutMs: 60_000 })
    .result
  if (text !== 'Still here.') return [`the next turn ended in ${finishReason}: ${error?.message}`]
  const stored = (await store.turns(key)).slice(0, -1).flatMap(visibleMessages)
  const { messages } = model.requests[0] ?? { messages: [] }
  const problems = validateTranscript(messages).map(
    ({ index, problem }) => `the next turn's message ${index}: ${problem}`,
  )
  const isWhole = isDeepStrictEqual(messages.slice(0, -1), stored)
  // An earlier compaction is applied again.
  const isCompacted = JSON.stringify((await store.load(key))?.state ?? '').includes('"covered"')
  return isWhole || isCompacted ? problems : [...problems, 'the next turn was not given what is stored']
}

function beginsWith(messages: readonly Message[], start: readonly Message[]): boolean {
  return isDeepStrictEqual(messages.slice(0, start.length), start)
}

function plain(messages: readonly Message[]): unknown {
  return JSON.parse(JSON.stringify(messages))
}

function show(value: unknown): string {
  return JSON.stringify(value)?.replace(/(.{60})[^"]{80,}/g, '$1…') ?? 'nothing'
}
