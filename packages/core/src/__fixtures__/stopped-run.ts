import { setTimeout as sleep } from 'node:timers/promises'
import { scriptedModel } from '@agentkit/testing'
import { expect } from 'vitest'
import { Agent } from '../agent.ts'
import type { Message } from '../message.ts'
import type { SessionKey, SessionStore } from '../session.ts'
import { type Tool, tool } from '../tool.ts'
import { validateTranscript } from '../transcript.ts'

export const key: SessionKey = { agentId: 'test', userId: 'default', sessionId: 's' }

/** A tool that takes anything. */
export function makeTool(name: string, execute: Tool['execute']): Tool {
  return tool({ name, description: 'd', input: { type: 'object' }, execute })
}

/** A tool that does not listen. */
export const deaf: Tool = makeTool('deaf', () => new Promise(() => {}))

/** What a run that was just stopped comes to, if it does so at once. */
export async function within100ms<Result>(result: Promise<Result>): Promise<Result> {
  const late = sleep(100).then(() => {
    throw new Error('The run did not settle within 100 ms of its abort.')
  })
  return Promise.race([result, late])
}

/** The stored history is valid, and a further turn of the session gets it and answers. */
export async function expectWorkingSession(store: SessionStore): Promise<void> {
  const before = await history(store)
  expect(validateTranscript(before)).toEqual([])
  const model = scriptedModel(['Next.'])
  const agent = new Agent({ name: 'Test', functions: [], model, sessions: store })
  expect(await agent.chat('Next', { sessionId: 's', timeoutMs: 2_000 })).toBe('Next.')
  expect(model.requests[0]?.messages.slice(0, -1)).toEqual(before)
  expect(validateTranscript(await history(store))).toEqual([])
}

async function history(store: SessionStore): Promise<Message[]> {
  return (await store.load(key))?.messages ?? []
}
