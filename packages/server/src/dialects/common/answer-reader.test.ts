import type { AgentEvent, AgentEventBody } from '@agentkit/core'
import { Agent, type Runnable, Swarm, type SwarmOptions, tool, workflow } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerReader } from './answer-reader.ts'

const error = { code: 'network', message: '', retryable: true } as const
const at = (event: AgentEventBody, path: string[] = ['team']): AgentEvent => ({
  seq: 1,
  runId: 'run_1',
  path,
  ...event,
})
const step = (number: number): AgentEvent => at({ type: 'step-start', step: number })
const says = (text: string, path?: string[]): AgentEvent => at({ type: 'text-delta', text }, path)
const again = at({ type: 'step-restart', step: 1, error })
const end = (text = '', finishReason: 'stop' | 'error' = 'stop'): AgentEvent =>
  at({ type: 'run-end', finishReason, text, usage: {} })

/** The text as a stream sends it, and as it is read without one. */
function textsOf(...events: AgentEvent[]): { streamed: string; whole: string } {
  const stream = new AnswerReader()
  const reader = new AnswerReader({ canDrop: true })
  const streamed = events.map((event) => stream.read(event)).join('')
  expect(streamed).toBe(stream.text)
  for (const event of events) reader.read(event)
  return { streamed, whole: reader.text }
}

async function answerOf(collaboration: SwarmOptions['collaboration']): Promise<string> {
  const member = (name: string, text: string): Agent =>
    new Agent({ name, functions: [], model: scriptedModel([text, text]) })
  const swarm = new Swarm({
    ...{ name: 'Team', agents: [member('One', 'First.'), member('Two', 'Second.')] },
    ...(collaboration !== undefined && { collaboration }),
    ...(collaboration === 'parallel' && { model: scriptedModel(['Both agree.']) }),
    ...(collaboration === 'manager' && {
      model: scriptedModel([
        { text: 'I ask.', toolCalls: [{ name: 'one', input: { task: 'Say' } }] },
        'One says: first.',
      ]),
    }),
  })
  const reader = new AnswerReader()
  for await (const event of swarm.stream('Hi')) reader.read(event)
  return reader.text
}

describe('AnswerReader', () => {
  it('joins the steps of the agent by blank lines', () => {
    const { streamed, whole } = textsOf(
      step(1),
      says('I '),
      says('look.'),
      step(2),
      step(3),
      says('Found.'),
      end('Found.'),
    )
    expect(streamed).toBe('I look.\n\nFound.')
    expect(whole).toBe(streamed)
  })

  it('reads an answer that no step has said from the end of its run', () => {
    expect(textsOf(end('All is well.')).streamed).toBe('All is well.')
    expect(textsOf(end('A failure.', 'error')).streamed).toBe('')
  })

  it('continues a step that is tried again where it says the same', () => {
    const texts = textsOf(step(1), says('Hel'), again, says('He'), says('llo.'), end('Hello.'))
    expect(texts).toEqual({ streamed: 'Hello.', whole: 'Hello.' })
  })

  it('compares a long step that is tried again in linear time', () => {
    const said = Array.from({ length: 30_000 }, () => says('abcd'))
    const startedAt = performance.now()
    expect(textsOf(step(1), ...said, again, ...said, says('!')).streamed).toBe(`${'abcd'.repeat(30_000)}!`)
    // Linear reading takes some milliseconds; to join all that is repeated at each part takes ten seconds and more.
    expect(performance.now() - startedAt).toBeLessThan(4_000)
  })

  it('separates a new attempt that says something else, and drops the old one where nothing was sent', () => {
    const events = [step(1), says('Good day'), again, says('Good evening.'), step(2), says('Bye.'), end('Bye.')]
    expect(textsOf(...events)).toEqual({
      streamed: 'Good day\n\nGood evening.\n\nBye.',
      whole: 'Good evening.\n\nBye.',
    })
    const shorter = [step(1), says('Good day'), again, says('Good'), end('Good')]
    expect(textsOf(...shorter)).toEqual({ streamed: 'Good day\n\nGood', whole: 'Good' })
  })

  it('reads the same with and without a stream, for any events', () => {
    const event = fc.oneof(
      fc.string({ minLength: 1 }).map((text) => says(text)),
      fc.string().map((text) => says(text, ['team', 'member'])),
      fc.nat(5).map(step),
      fc.nat(5).map((number) => at({ type: 'step-end', step: number, model: 'm', finishReason: 'stop', usage: {} })),
      fc.constant(at({ type: 'agent-start', name: 'Member' }, ['team', 'member'])),
      fc.constant(at({ type: 'tool-call', callId: 'c', name: 'ask', input: {} })),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.string(), (events, text) => {
        const { streamed, whole } = textsOf(...events, end(text))
        expect(whole).toBe(streamed)
      }),
    )
  })

  it.each([
    ['handoff', 'First.'],
    ['sequence', 'Second.'],
    ['parallel', 'Both agree.'],
    ['manager', 'I ask.\n\nOne says: first.'],
  ] as const)('reads of a swarm (%s) only the agent that answers the user', async (collaboration, text) => {
    expect(await answerOf(collaboration)).toBe(text)
  })

  it('reads each step of the last member of a sequence, unless the swarm checks its answer', async () => {
    const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'three bees' })
    const textOf = async (hooks: NonNullable<SwarmOptions['hooks']>, speaker?: string): Promise<string> => {
      const first = new Agent({ name: 'One', functions: [], model: scriptedModel(['First.']) })
      const steps = scriptedModel([{ text: 'I look.', toolCalls: [{ name: 'look' }] }, 'Three bees.'])
      const last = new Agent({ name: 'Two', functions: [look], model: steps })
      const swarm = new Swarm({ name: 'Team', agents: [first, last], collaboration: 'sequence', hooks })
      expect(swarm.speaker).toBe(speaker)
      const reader = new AnswerReader({ speaker: swarm.speaker })
      for await (const event of swarm.stream('Hi')) reader.read(event)
      return reader.text
    }
    expect(await textOf({}, 'two')).toBe('I look.\n\nThree bees.')
    expect(await textOf({ output: () => ({ text: 'Checked.' }) })).not.toContain('I look.')
  })

  it('reads the answer of a workflow once, and no text between its steps', async () => {
    const writer = (name: string, text: string): Agent =>
      new Agent({ name, functions: [], model: scriptedModel([text]) })
    const flow: Runnable = workflow({ name: 'Flow' })
      .step(writer('Flow', 'A draft.'))
      .parallel({ one: writer('One', 'First.'), two: writer('Two', 'Second.') })
      .step(({ one, two }) => `${one} ${two}`)
      .asAgent()
    const reader = new AnswerReader({ speaker: flow.speaker })
    const added: string[] = []
    for await (const event of flow.stream('Hi')) added.push(reader.read(event))
    expect(reader.text).toBe('First. Second.')
    expect(added.filter((text) => text !== '')).toEqual(['First. Second.'])
  })

  it('collects sources and approvals, each once', () => {
    const reader = new AnswerReader()
    const source = { file: 'a.md', start: 0, end: 1, quote: 'a', chunkId: 'k', score: { fused: 1 } }
    const approval = { approvalId: 'apr_1', callId: 'c', name: 'pay', input: { amount: 5 }, kind: 'approval' as const }
    const request = at({ type: 'approval-request', ...approval }, ['team', 'payer'])
    for (const event of [at({ type: 'source', source }), at({ type: 'source', source }), request, request]) {
      reader.read(event)
    }
    expect(reader.sources).toEqual([source])
    expect(reader.approvals).toEqual([{ ...approval, path: ['payer'] }])
  })
})
