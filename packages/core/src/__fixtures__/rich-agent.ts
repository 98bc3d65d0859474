import { setTimeout as sleep } from 'node:timers/promises'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { z } from 'zod'
import { Agent } from '../agents/agent.ts'
import { AgentKitError } from '../data/errors.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import type { ModelInfo, ModelRequest } from '../contracts/model.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { watchedModel, watchedTool } from './any-run/watched.ts'
import { key } from './stopped-run.ts'

/**
 * An agent whose run uses every feature: it compacts its session, calls tools in parallel, one of them after an
 * approval, is interrupted during an answer, and answers by an output schema, at first with an invalid answer.
 */
export function richAgent(
  sessions: SessionStore,
  nativeOutput: NonNullable<ModelInfo['nativeOutput']>,
): Agent<unknown> {
  const answer = (input: { [key: string]: string }): ScriptedTurn => {
    return nativeOutput === 'always' ? JSON.stringify(input) : { toolCalls: [{ name: 'final_answer', input }] }
  }
  const interrupted = { text: 'It is', error: new AgentKitError('overloaded', 'Busy.', { retryable: true }) }
  const answers = [interrupted, answer({ town: 'Oslo' }), answer({ city: 'Oslo' })]
  const calls = { reasoning: 'Hm.', text: 'Let me see.', toolCalls: ['a', 'b', 'c', 'pay'].map((name) => ({ name })) }
  const turn = ({ tools, messages }: ModelRequest): ScriptedTurn => {
    if (!tools) return 'They want to be told all that there is, and were told much of it. '.repeat(5)
    return messages.some(({ role }) => role === 'tool') ? (answers.shift() ?? 'Too late.') : calls
  }
  const info: ModelInfo = { contextWindow: 4_000, maxOutputTokens: 500, nativeOutput }
  return new Agent<unknown>({
    name: 'Test',
    functions: [
      watchedTool('a', () => sleep(6, 'after 6')),
      watchedTool('b', () => sleep(1, 'after 1')),
      watchedTool('c', () => sleep(3, 'after 3')),
      watchedTool('pay', () => 'paid', true),
    ],
    model: watchedModel(
      scriptedModel(
        Array.from({ length: 10 }, () => turn),
        { info },
      ),
    ),
    sessions,
    output: z.object({ city: z.string() }),
    retry: { firstWaitMs: 2 },
  })
}

/** A session that exceeds the model's window. */
export async function longSession(): Promise<SessionStore> {
  const store = memorySessions()
  await store.begin(key, { runId: 'before', expectedVersion: 0, input: [{ role: 'user', content: 'Tell me all.' }] })
  const text = 'There is much to say. '.repeat(300)
  await store.append('before', [{ role: 'assistant', content: [{ type: 'text', text }] }])
  await store.end('before', 'done')
  return store
}
