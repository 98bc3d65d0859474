import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Model, type SessionStore, tool } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'

type StepsOptions = {
  sessions: SessionStore
  /** Called by a tool with what it does. */
  effect?(line: string): Promise<void>
  /** Called before the model answers. */
  called?(runId: string): void
}

/** Three steps with a call of each tool, then an answer: the step follows from the conversation. */
export function steps({ sessions, effect = async () => {}, called = () => {} }: StepsOptions): Agent {
  const input = { type: 'object', properties: { step: { type: 'number' } } }
  const functions = (['read', 'write'] as const).map((name) =>
    tool({
      ...{ name, description: name, input, idempotent: name === 'read' },
      async execute({ step }, { runId }) {
        await effect(`${runId} ${name} ${step}`)
        return 'done'
      },
    }),
  )
  const model: Model = {
    id: 'test/steps',
    async *stream(request, signal) {
      const from = request.messages.findLastIndex(({ role }) => role === 'user')
      const step = request.messages.slice(from).filter(({ role }) => role === 'assistant').length
      await sleep(Math.random() * 20, undefined, { signal })
      const args = { step }
      const toolCalls = [
        { name: 'read', callId: `read${step}`, input: args },
        { name: 'write', callId: `write${step}`, input: args },
      ]
      yield* scriptedModel([step < 3 ? { toolCalls } : 'All is done.']).stream(request, signal)
    },
  }
  const hooks = { beforeModel: (_: unknown, { runId }: { runId: string }) => called(runId) }
  return new Agent({ name: 'Steps', functions, model, sessions, hooks })
}
