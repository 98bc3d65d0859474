import type { AgentEvent } from '@agentkit/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fakeAgent } from '../../__fixtures__/fake-agent.ts'
import { createApp } from '../../create-app.ts'
import { anyEvents } from '../common/__fixtures__/any-events.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { ask, clients } from './__fixtures__/mcp-clients.ts'

// Whatever a run emits, the client reads rising progress and one result, with the text of an answer that is not streamed.

it.each(clients)('is read by the client of the SDK %s', async (_, connect) => {
  let events: AgentEvent[] = []
  const agent = fakeAgent()
  agent.stream = () => runOf(events)
  const client = await connect(createApp(agent, { log: () => {}, dialects: ['mcp'] }))
  await fc.assert(
    fc.asyncProperty(anyEvents, async (emitted) => {
      events = emitted
      const numbers: number[] = []
      const { content, structuredContent, isError } = await ask(client, 'Hi', {
        onprogress: ({ progress }) => numbers.push(progress),
      })
      expect(numbers.every((number, index) => number > (numbers[index - 1] ?? 0))).toBe(true)
      const reader = new AnswerReader({ canDrop: true })
      for (const event of emitted) reader.read(event)
      const reason = reader.end?.finishReason
      expect(structuredContent).toMatchObject({ answer: reader.text, finish_reason: reason, run_id: 'run_1' })
      expect(structuredContent.sources).toHaveLength(reader.sources.length)
      expect(isError ?? false).toBe(reason === 'error')
      expect(content).toHaveLength(1)
      if (reason === 'stop') expect(content[0]?.text).toBe(reader.text)
      else expect(content[0]?.text.startsWith(reader.text)).toBe(true)
      expect(JSON.stringify([content, structuredContent])).not.toContain('"secret"')
    }),
    { numRuns: 100 },
  )
})

function runOf(events: readonly AgentEvent[]): ReturnType<ReturnType<typeof fakeAgent>['stream']> {
  const end = events.at(-1)
  const { finishReason = 'stop', text = '', usage = {} } = end?.type === 'run-end' ? end : {}
  const nothing = { output: undefined, approvals: [], messages: [], sources: [], warnings: [], steps: 1 }
  return {
    runId: 'run_1',
    // Only what the server reads.
    result: Promise.resolve({ ...nothing, runId: 'run_1', finishReason, text, usage } as never),
    cancel() {},
    approve() {},
    deny() {},
    async answer() {},
    async *partials() {},
    async *elements() {},
    async *[Symbol.asyncIterator]() {
      yield* events
    },
  }
}
