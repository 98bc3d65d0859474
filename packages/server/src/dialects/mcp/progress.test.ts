import type { AgentEvent, AgentEventBody } from '@agentkit/core'
import type { ServerContext } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { progressOf } from './progress.ts'

type Sent = { progressToken: unknown; progress: number; message: string }

function recorded(progressToken: string | undefined, clock: { now: number } = { now: 0 }) {
  const sent: Sent[] = []
  const notify = async ({ params }: { params: unknown }) => void sent.push(params as Sent)
  const context = { mcpReq: { _meta: progressToken === undefined ? {} : { progressToken }, notify } }
  const { show, stop } = progressOf(context as unknown as ServerContext, () => clock.now) // only what it reads
  let seq = 0
  const emit = (body: AgentEventBody, path = ['a']) => show({ seq: ++seq, runId: 'r', path, ...body } as AgentEvent)
  return { sent, emit, stop }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

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

it('continues while nothing happens, by numbers that rise, until the call has its result', () => {
  const { sent, emit, stop } = recorded('t')
  vi.advanceTimersByTime(15_000)
  emit(call)
  vi.advanceTimersByTime(14_999)
  expect(sent.map(({ message }) => message)).toEqual(['continues', 'calls look'])
  vi.advanceTimersByTime(60_001)
  emit(call)
  const numbers = sent.map(({ progress }) => progress)
  expect(numbers).toHaveLength(8)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
  stop()
  vi.advanceTimersByTime(600_000)
  expect(sent).toHaveLength(8)
})
