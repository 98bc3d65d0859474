import type { AgentEvent, AgentEventBody } from '@agentkit/core'
import type { ServerContext } from '@modelcontextprotocol/server'
import { expect, it } from 'vitest'
import { progressOf } from './progress.ts'

type Sent = { progressToken: unknown; progress: number; message: string }

function recorded(progressToken: string | undefined, clock: { now: number } = { now: 0 }) {
  const sent: Sent[] = []
  const notify = async ({ params }: { params: unknown }) => void sent.push(params as Sent)
  const context = { mcpReq: { _meta: progressToken === undefined ? {} : { progressToken }, notify } }
  const show = progressOf(context as unknown as ServerContext, () => clock.now) // only what it reads
  let seq = 0
  const emit = (body: AgentEventBody, path = ['a']) => show({ seq: ++seq, runId: 'r', path, ...body } as AgentEvent)
  return { sent, emit }
}

const delta = { type: 'text-delta', text: 'a' } as const
const call = { type: 'tool-call', callId: 'c', name: 'look', input: {} } as const

it('is sent only where a token is given', () => {
  const { sent, emit } = recorded(undefined)
  emit(call)
  expect(sent).toEqual([])
})

it('says that the run writes or thinks at most once a second', () => {
  const clock = { now: 0 }
  const { sent, emit } = recorded('t', clock)
  for (let index = 0; index < 100; index++) emit(delta)
  expect(sent).toEqual([{ progressToken: 't', progress: 1, message: 'writes' }])
  clock.now = 1_000
  emit({ type: 'reasoning-delta', text: 'a' })
  expect(sent.at(-1)).toMatchObject({ progress: 101, message: 'thinks' })
})

it('has a bound for all that a run may do, and then continues as slowly', () => {
  const clock = { now: 0 }
  const { sent, emit } = recorded('t', clock)
  for (let index = 0; index < 5_000; index++) emit(call)
  expect(sent).toHaveLength(1_000)
  clock.now = 1_000
  emit(call)
  emit(call)
  expect(sent).toHaveLength(1_001)
})

it('cuts names, and names the member', () => {
  const { sent, emit } = recorded('t')
  emit({ ...call, name: 'x'.repeat(10_000) }, ['a', 'clerk'])
  expect(sent[0]?.message).toBe(`clerk: calls ${'x'.repeat(100)}…`)
})
