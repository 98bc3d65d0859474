import { setTimeout as sleep } from 'node:timers/promises'
import { scriptedModel } from '@agentkit/testing'
import { expect } from 'vitest'
import { Agent } from '../agents/agent.ts'
import type { Message } from '../data/message.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { SessionKey } from '../data/session-data.ts'
import { tool } from '../tools/define-tool.ts'
import type { Tool } from '../contracts/tool.ts'
import { validateTranscript } from '../data/transcript.ts'

export const key: SessionKey = { agentId: 'test', userId: 'default', sessionId: 's' }

/** A tool that accepts any input. */
export function makeTool(name: string, execute: Tool['execute']): Tool {
  return tool({ name, description: 'd', input: { type: 'object' }, execute })
}

/** A tool that ignores its signal. */
export const deaf: Tool = makeTool('deaf', () => new Promise(() => {}))

/** The number of event loop turns, of at least 5 ms each, in 100 ms on an idle machine. */
const promptTurns = 20

/**
 * The result of a run that was just stopped, if it settles at once. Time is counted in turns of the event loop, as a busy
 * machine delays the run and this clock equally.
 */
export async function within100ms<Result>(result: Promise<Result>): Promise<Result> {
  let isSettled = false
  const late = async (): Promise<never> => {
    for (let turns = 0; turns < promptTurns && !isSettled; turns++) await sleep(5)
    throw new Error('The run did not settle within 100 ms of its abort.')
  }
  try {
    return await Promise.race([result, late()])
  } finally {
    isSettled = true
  }
}

/** Counts event loop turns of at least 5 ms, for what {@link within100ms} cannot await. */
export function promptClock(): { start(): void; isLate(): boolean } & Disposable {
  let turns: number | undefined
  const timer = setInterval(() => {
    if (turns !== undefined) turns += 1
  }, 5)
  return {
    start: () => {
      turns = 0
    },
    isLate: () => turns !== undefined && turns > promptTurns,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** The stored history is valid, and another turn of the session gets it and answers. */
export async function expectWorkingSession(store: SessionStore): Promise<void> {
  const before = await history(store)
  expect(validateTranscript(before)).toEqual([])
  const model = scriptedModel(['Next.'])
  const agent = new Agent({ name: 'Test', functions: [], model, sessions: store })
  expect(await agent.chat('Next', { sessionId: 's', timeoutMs: 60_000 })).toBe('Next.')
  expect(model.requests[0]?.messages.slice(0, -1)).toEqual(before)
  expect(validateTranscript(await history(store))).toEqual([])
}

async function history(store: SessionStore): Promise<Message[]> {
  return (await store.load(key))?.messages ?? []
}
