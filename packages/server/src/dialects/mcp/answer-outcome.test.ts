import type { AgentEvent, StoredRun, Turn } from '@agentkit/core'
import { expect, it } from 'vitest'
import { fakeAgent } from '../../__fixtures__/fake-agent.ts'
import { AnswerOutcome } from './answer-outcome.ts'

const agent = fakeAgent()
const source = (chunkId: string) => ({ file: 'a.md', start: 0, end: 1, quote: 'a', chunkId, score: { fused: 1 } })
// Only what is read of them.
const stored = {
  record: { runId: 'r', agentId: 'fake', sources: [source('before')] },
  approvals: [],
} as unknown as StoredRun
// The same.
const turn = {
  messages: [
    { v: 1, role: 'user', content: 'Pay' },
    { v: 1, role: 'assistant', content: [{ type: 'text', text: 'I pay.' }] },
  ],
} as unknown as Turn
const place = { runId: 'r', path: ['fake'] }
const end = (text: string): AgentEvent => ({ ...place, seq: 9, type: 'run-end', finishReason: 'stop', text, usage: {} })

it('of a run that continues has its earlier text and citations', () => {
  const answer = new AnswerOutcome(agent, 's', { stored, turn })
  answer.read({ ...place, seq: 7, type: 'source', source: source('after') })
  answer.read({ ...place, seq: 8, type: 'text-delta', text: 'Paid.' })
  answer.read(end('Paid.'))
  const { text, sources } = answer.outcome()
  expect(text).toBe('I pay.\n\nPaid.')
  expect(sources.map(({ chunkId }) => chunkId)).toEqual(['before', 'after'])
})

it('does not repeat the earlier text of the last step', () => {
  const answer = new AnswerOutcome(agent, 's', { stored, turn })
  answer.read(end('I pay.'))
  expect(answer.outcome().text).toBe('I pay.')
})

it('of a run that another process continues is none', () => {
  expect(() => new AnswerOutcome(agent, 's').outcome()).toThrow(expect.objectContaining({ code: 'overloaded' }))
})
