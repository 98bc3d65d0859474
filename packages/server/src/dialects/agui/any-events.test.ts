import { type BaseEvent, HttpAgent } from '@ag-ui/client'
import type { AgentEvent } from '@agentkit/core'
import { HttpAgent as HttpAgent0 } from 'ag-ui-client0'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyEvents } from '../common/__fixtures__/any-events.ts'
import { aguiEncoder } from './agui-encoder.ts'

// The client checks the form of each event, and that messages, calls, steps and subagents are opened and closed in order.

type Client = { runAgent(parameters: object, subscriber: object): Promise<unknown> }

const clients: [version: string, open: (answer: () => Promise<Response>) => Client][] = [
  ['1.0', (fetch) => new HttpAgent({ url: 'http://localhost/agui', threadId: 't1', fetch }) as unknown as Client],
  ['0.0.59', (fetch) => new HttpAgent0({ url: 'http://localhost/agui', threadId: 't1', fetch }) as unknown as Client],
]

type Outcome = { types: string[]; failures: unknown[]; openCalls: string[] }

/** The messages that the client builds from these events. */
async function sendTo(open: (typeof clients)[number][1], events: readonly AgentEvent[]): Promise<Outcome> {
  const encode = aguiEncoder({ threadId: 't1', runId: 'r1' })
  const stream = events.map(encode).join('')
  expect(stream).not.toContain('secret')
  const headers = { 'content-type': 'text/event-stream' }
  const client = open(async () => new Response(`retry: 2000\n\n${stream}`, { headers }))
  const types: string[] = []
  const failures: unknown[] = []
  const openCalls = new Set<string>()
  const onEvent = ({ event }: { event: BaseEvent & { toolCallId?: string } }): void => {
    types.push(String(event.type))
    if (event.type === 'TOOL_CALL_START') openCalls.add(event.toolCallId ?? '')
    if (event.type === 'TOOL_CALL_RESULT') openCalls.delete(event.toolCallId ?? '')
  }
  const onRunFailed = ({ error }: { error: unknown }): void => void failures.push(error)
  await client.runAgent({ runId: 'r1' }, { onEvent, onRunFailed }).catch((error) => failures.push(error))
  return { types, failures, openCalls: [...openCalls] }
}

describe.each(clients)('the client of AG-UI %s', (_, open) => {
  it('accepts the encoding of any events', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, async (events) => {
        const { types, failures, openCalls } = await sendTo(open, events)
        const last = events.at(-1)
        if (last?.type === 'run-end' && last.finishReason !== 'approval') expect(openCalls).toEqual([])
        const isFailed = last?.type === 'run-end' && last.finishReason === 'error'
        if (!isFailed) expect(failures).toEqual([])
        expect([types[0], types.at(-1)]).toEqual(['RUN_STARTED', isFailed ? 'RUN_ERROR' : 'RUN_FINISHED'])
      }),
      { numRuns: 200 },
    )
  })

  it('accepts a member that is called again, and gives its calls the same ids', async () => {
    const place = (seq: number) => ({ seq, runId: 'run_1', path: ['team', 'member'] })
    const start = { type: 'agent-start', name: 'Member' } as const
    const call = { type: 'tool-call', callId: 'c1', name: 'look', input: {} } as const
    const result = {
      type: 'tool-result',
      callId: 'c1',
      name: 'look',
      output: 3,
      isError: false,
      durationMs: 1,
    } as const
    const once = [start, call, result]
    const { types, failures } = await sendTo(open, [
      ...[...once, ...once].map((event, index) => ({ ...place(index + 1), ...event })),
      { ...place(7), path: ['team'], type: 'run-end', finishReason: 'stop', text: '', usage: {} },
    ])
    expect(failures).toEqual([])
    expect(types.filter((type) => type === 'TOOL_CALL_RESULT')).toHaveLength(2)
  })

  it('ends the calls of a member that its budget has stopped, and none of a member that waits', async () => {
    const place = (path: string[]) => ({ seq: 1, runId: 'run_1', path: ['team', ...path] })
    const member = (id: string, status: 'budget' | 'waiting'): AgentEvent[] => [
      { ...place([id]), type: 'agent-start', name: id },
      { ...place([id]), type: 'tool-call', callId: 'c1', name: 'look', input: {} },
      { ...place([id]), type: 'agent-end', name: id, status },
    ]
    const { failures, openCalls } = await sendTo(open, [
      ...member('ann', 'budget'),
      ...member('bob', 'waiting'),
      { ...place([]), type: 'run-end', finishReason: 'approval', text: '', usage: {} },
    ])
    expect(failures).toEqual([])
    expect(openCalls).toEqual(['run_1/bob/c1'])
  })
})
