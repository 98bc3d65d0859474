import { TaskState } from '@a2a-js/sdk'
import { JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import type { AgentEvent } from '@agentkit/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyEvents } from '../common/__fixtures__/any-events.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { taskEncoder } from './task-encoder.ts'

// Whatever a run emits, the client reads a task, its answer in order, and a status at the end.

const stateOf = (event: AgentEvent | undefined): TaskState | undefined => {
  if (event?.type !== 'run-end') return undefined
  if (event.finishReason === 'error') return TaskState.TASK_STATE_FAILED
  return event.finishReason === 'approval' ? TaskState.TASK_STATE_INPUT_REQUIRED : TaskState.TASK_STATE_COMPLETED
}

it('is read whole by the client', async () => {
  await fc.assert(
    fc.asyncProperty(anyEvents, async (events) => {
      const encode = taskEncoder({ callId: 1, contextId: 'c1' })
      const stream = events.map(encode).join('')
      expect(stream).not.toContain('secret')
      const headers = { 'content-type': 'text/event-stream' }
      const fetchImpl = async (): Promise<Response> => new Response(`retry: 2000\n\n${stream}`, { headers })
      // The transport reads nothing of the card.
      const transport = await new JsonRpcTransportFactory({ fetchImpl }).create('http://localhost/a2a', {} as never)
      const kinds: string[] = []
      let text = ''
      let state: TaskState | undefined
      for await (const { payload } of transport.resubscribeTask({ tenant: '', id: 'run_1' })) {
        kinds.push(payload?.$case ?? '')
        if (payload?.$case === 'artifactUpdate') {
          const { append, artifact } = payload.value
          expect(append).toBe(kinds.filter((kind) => kind === 'artifactUpdate').length > 1)
          for (const { content } of artifact?.parts ?? []) if (content?.$case === 'text') text += content.value
        }
        if (payload?.$case === 'statusUpdate') state = payload.value.status?.state
      }
      expect([kinds[0], kinds.at(-1)]).toEqual(['task', 'statusUpdate'])
      expect(kinds.slice(1, -1).every((kind) => kind === 'artifactUpdate')).toBe(true)
      expect(state).toBe(stateOf(events.at(-1)))
      const reader = new AnswerReader()
      for (const event of events) reader.read(event)
      expect(text).toBe(reader.text)
    }),
    { numRuns: 200 },
  )
})
