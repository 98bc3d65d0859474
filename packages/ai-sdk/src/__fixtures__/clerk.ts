import { Agent, type Citation, memorySessions, type SessionStore, type ToolLike, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import * as ai7 from 'ai'
import * as ai6 from 'ai6'
import { afterAll, beforeAll, vi } from 'vitest'
import { z } from 'zod'

/** Both versions of `ai`, which have what the tests use in types that differ. */
export const versions: readonly (readonly [string, typeof ai6])[] = [
  ['7', ai7 as unknown as typeof ai6],
  ['6', ai6],
]

/** The AI SDK prints its warnings, which are checked where they are returned. */
export function withoutPrintedWarnings(): void {
  beforeAll(() => void vi.stubGlobal('AI_SDK_LOG_WARNINGS', false))
  afterAll(() => void vi.unstubAllGlobals())
}

export const citation: Citation = {
  ...{ file: 'notes/a.md', heading: 'Rain', start: 0, end: 4, quote: 'Rain', chunkId: 'c1' },
  score: { fused: 1 },
}

export const weather = tool({
  name: 'weather',
  description: 'The weather.',
  input: z.object({ city: z.string() }),
  execute({ city }, { cite }) {
    cite([citation])
    if (city === 'Atlantis') throw new Error('It is under water.')
    return { city, sky: 'rain' }
  },
})
export const pay = tool({ name: 'pay', description: 'Pays.', input: z.object({}), needsApproval: true, execute: () => 'paid' })

/** An agent whose model answers with these turns, and does not repeat a call. */
export function clerk(turns: Parameters<typeof scriptedModel>[0], functions: ToolLike[] = [weather]): { model: ReturnType<typeof scriptedModel>; sessions: SessionStore; agent: Agent } {
  const model = scriptedModel(turns)
  const sessions = memorySessions()
  return { model, sessions, agent: new Agent({ name: 'Clerk', functions, model, sessions, retry: { attempts: 1 } }) }
}

export const look = { text: 'Let me look.', toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] }

