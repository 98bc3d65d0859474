import type {
  AssistantMessage,
  JSONValue,
  Message,
  Session,
  SessionKey,
  SessionStore,
  ToolMessage,
} from '@agentkit/core'
import { expect } from 'vitest'

/** The store of the current test. */
export type GetStore = () => SessionStore

export const key: SessionKey = { agentId: 'helper', userId: 'ann', sessionId: 's1' }

/** Begins, appends and ends one turn of the session, at its current version. The first message is the input. */
export async function runTurn(
  store: SessionStore,
  session: SessionKey,
  runId: string,
  messages: readonly Message[],
  options: { status?: 'done' | 'failed' | 'waiting'; state?: JSONValue } = {},
): Promise<void> {
  const expectedVersion = (await store.load(session))?.version ?? 0
  await store.begin(session, { runId, expectedVersion, input: messages.slice(0, 1) })
  await store.append(runId, messages.slice(1), options.state)
  await store.end(runId, options.status ?? 'done')
}

export function begin(store: SessionStore, session: SessionKey, runId: string, expectedVersion: number): Promise<void> {
  return store.begin(session, { runId, expectedVersion, input: [user(runId)] })
}

export async function load(store: SessionStore, session: SessionKey): Promise<Session> {
  const loaded = await store.load(session)
  if (!loaded) throw new Error(`The store does not know ${JSON.stringify(session)}.`)
  return loaded
}

export function user(text: string): Message {
  return { v: 1, role: 'user', content: text }
}

export function answer(text: string): AssistantMessage {
  return { v: 1, role: 'assistant', content: [{ type: 'text', text }] }
}

export function calls(...callIds: string[]): AssistantMessage {
  return {
    v: 1,
    role: 'assistant',
    content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'echo', input: { callId } })),
  }
}

export function result(callId: string): ToolMessage {
  return { v: 1, role: 'tool', callId, name: 'echo', content: `result of ${callId}` }
}

/** A store may freeze its results: changing them then throws, which is accepted too. */
export function tryTo(change: () => unknown): void {
  try {
    change()
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
  }
}

/** Waits until the clock has advanced, so that times differ. */
export function tick(ms = 5): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
