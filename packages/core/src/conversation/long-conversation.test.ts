import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { attentiveModel } from '../__fixtures__/attentive-model.ts'
import {
  Agent,
  AgentKitError,
  type Message,
  type ModelInfo,
  type ModelRequest,
  memorySessions,
  type TranscriptProblem,
  tool,
  validateTranscript,
} from '../index.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'

const key = { agentId: 'test', userId: 'default', sessionId: 's' }
const turns = 200

/** From one line to more than any of the windows. */
const resultLines = [1, 3, 20, 60, 400, 2_000]
const lookUp = tool({
  name: 'look_up',
  description: 'Looks something up.',
  input: { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] },
  execute: ({ about }) => resultAbout(String(about)),
})

describe.each([2_000, 4_000, 16_000])(
  'a conversation of 200 turns with a model that has room for %i tokens',
  (window) => {
    it('still knows the first message, keeps to the room, and is stored whole', async () => {
      const sessions = memorySessions()
      const problems: TranscriptProblem[] = []
      let longest = 0
      let summaries = 0
      const info: ModelInfo = { contextWindow: window, maxOutputTokens: window / 8 }
      const model = attentiveModel(info, (request) => {
        longest = Math.max(longest, estimateRequest(request, info) + (request.maxOutputTokens ?? window / 8))
        problems.push(...validateTranscript(request.messages))
        if (!request.tools) summaries++
      })
      for (let turn = 1; turn <= turns; turn++) {
        // As after a restart: only the stored data is available.
        const agent = new Agent({ name: 'Test', instruction: 'You help.', functions: [lookUp], model, sessions })
        const result = await agent.stream(questionOf(turn), { sessionId: 's' }).result
        expect(result.error).toBeUndefined()
        // A run that shortens the conversation on its way has a warning.
        expect(result.warnings.filter((warning) => !/^Step \d+: the (?:tools|conversation) /.test(warning))).toEqual([])
        if (turn === 100) expect(result.text).toBe('It is green.')
        if (turn === turns) expect(result.text).toBe('It is Bello.')
      }

      expect(longest).toBeLessThanOrEqual(window)
      expect(problems).toEqual([])
      expect(summaries).toBeGreaterThan(0)

      const stored = await sessions.turns(key)
      expect(stored.map(({ messages }) => messages[0]?.content)).toEqual(
        Array.from({ length: turns }, (_, index) => questionOf(index + 1)),
      )
      for (const { messages } of stored) {
        expect(messages.at(-1)?.role).toBe('assistant')
        for (const message of messages) {
          if (message.role === 'tool') expect(message.content).toBe(resultAbout(message.callId.replace('about_', '')))
        }
      }
    })
  },
)

it('a fallback model that summarizes gets only requests that fit its window', async () => {
  const busy = new AgentKitError('overloaded', 'Busy.', { retryable: true })
  const turn = ({ tools }: ModelRequest) => (tools ? 'Done.' : busy)
  const large = scriptedModel([turn, turn, turn], { id: 'test/large', info: { contextWindow: 8_000 } })
  const small = scriptedModel([turn, turn, turn], { id: 'test/small', info: { contextWindow: 2_000 } })
  const agent = new Agent({ name: 'Test', functions: [lookUp], model: [large, small], retry: { attempts: 1 } })
  const history: Message[] = [
    { role: 'user', content: 'Tell me all.' },
    { role: 'assistant', content: [{ type: 'text', text: 'There is much to say. '.repeat(3_000) }] },
  ]
  const result = await agent.stream('And now?', { history }).result
  expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.', warnings: [expect.stringContaining('summary')] })
  expect(large.requests).toHaveLength(2)
  expect(small.requests).toEqual([])
})

function questionOf(turn: number): string {
  if (turn === 1) return 'My dog is Bello.'
  if (turn === 60) return 'My car is green.'
  if (turn === 100) return 'What is my car?'
  if (turn === turns) return 'What is my dog?'
  if (turn % 4 === 0) return `Look up thing${turn}.`
  return `Number ${turn}. ${'The weather was fine, and we went for a walk. '.repeat(turn % 7)}`
}

function resultAbout(thing: string): string {
  const lines = resultLines[(Number(thing.replace('thing', '')) / 4) % resultLines.length] ?? 1
  return Array.from({ length: lines }, (_, line) => `Line ${line} about ${thing} says little.`).join('\n')
}
