import type { AgentEvent, AgentEventBody } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { narrowest } from '../work/narrowest.ts'
import { answerOf, applyEvent, callsOf, newRunView, type RunView } from './run-view.ts'

type Given = AgentEventBody & { path?: string[] }

function viewOf(...bodies: Given[]): RunView {
  const view = newRunView('run_1')
  for (const [index, body] of bodies.entries()) {
    applyEvent(view, { seq: index + 1, runId: 'run_1', path: ['boss'], ...body } as AgentEvent)
  }
  return view
}

const step = (number: number): Given => ({ type: 'step-start', step: number })
const text = (value: string, path?: string[]): Given => ({ type: 'text-delta', text: value, ...(path && { path }) })
const error = { code: 'network', message: 'down', retryable: true } as const

describe('the view of a run', () => {
  it('joins the texts of the steps, and drops the texts of a repeated attempt', () => {
    const view = viewOf(
      step(1),
      text('One'),
      step(2),
      text('Wro'),
      { type: 'step-restart', step: 2, error },
      text('Two'),
    )
    expect(answerOf(view)).toBe('One\n\nTwo')
    expect(view.agents[0]?.entries).toMatchObject([{ step: 1 }, { step: 2, restarts: [error] }])
  })

  it('ignores events that it has seen', () => {
    const view = viewOf(step(1), text('One'))
    applyEvent(view, { seq: 2, runId: 'run_1', path: ['boss'], type: 'text-delta', text: 'One' })
    expect(answerOf(view)).toBe('One')
  })

  it('has a section for each member, whose text is not part of the answer, unless the conversation is theirs', () => {
    const member = ['boss', 'baker']
    const called = viewOf(
      step(1),
      { type: 'tool-call', callId: 'c', name: 'baker', input: {} },
      { type: 'agent-start', name: 'Baker', path: member },
      text('Baked', member),
      { type: 'agent-end', name: 'Baker', status: 'done', path: member },
      { type: 'tool-result', callId: 'c', name: 'baker', output: 'Baked', isError: false, durationMs: 4 },
      step(2),
      text('Done'),
    )
    expect(answerOf(called)).toBe('Done')
    expect(called.agents.map(({ name, status }) => [name, status])).toEqual([
      ['boss', undefined],
      ['Baker', 'done'],
    ])
    expect(callsOf(called)).toMatchObject([{ name: 'baker', durationMs: 4 }])
    // Each model counts its calls.
    const sameIds = viewOf(
      step(1),
      { type: 'tool-call', callId: 'c', name: 'baker', input: {} },
      { type: 'tool-call', callId: 'c', name: 'weigh', input: {}, path: member },
      { type: 'tool-result', callId: 'c', name: 'weigh', output: 1, isError: false, durationMs: 4, path: member },
      { type: 'step-start', step: 2, path: member },
      text('Baked', member),
    )
    expect(answerOf(sameIds)).toBe('')
    const handed = viewOf(step(1), { type: 'agent-start', name: 'Baker', path: member }, text('I bake', member))
    expect(answerOf(handed)).toBe('I bake')
  })

  it('has the answer of a workflow once, and the texts of its agents in their sections', () => {
    const view = newRunView('run_1', 'boss')
    const events: Given[] = [
      { type: 'agent-start', name: 'Baker', path: ['boss', 'baker'] },
      { type: 'step-start', step: 1, path: ['boss', 'baker'] },
      text('A draft.', ['boss', 'baker']),
      text('A letter.'),
    ]
    const answers = events.map((body, index) => {
      applyEvent(view, { seq: index + 1, runId: 'run_1', path: ['boss'], ...body } as AgentEvent)
      return answerOf(view)
    })
    expect(answers).toEqual(['', '', '', 'A letter.'])
    expect(view.agents[0]?.entries).toMatchObject([{ text: 'A draft.' }])
  })

  it('ends the calls of an agent that ends before they have a result', () => {
    const member = ['boss', 'baker']
    const call = (callId: string, path: string[]): Given => ({
      type: 'tool-call',
      callId,
      name: 'weigh',
      input: {},
      path,
    })
    const end = (status: string): Given => ({ type: 'agent-end', name: 'Baker', status, path: member })
    const stopped = (view: RunView): unknown[] => callsOf(view).map(({ isStopped = false }) => isStopped)
    const working = [call('c1', ['boss']), call('c2', member)]
    expect(stopped(viewOf(...working, end('waiting')))).toEqual([false, false])
    expect(stopped(viewOf(...working, end('budget')))).toEqual([false, true])
    const done: Given = { type: 'run-end', finishReason: 'budget', text: '', usage: {} }
    expect(stopped(viewOf(...working, done))).toEqual([true, true])
    expect(stopped(viewOf(...working, done, { type: 'run-start' }))).toEqual([false, false])
    const waits: Given[] = [...working, end('budget'), { ...done, finishReason: 'approval' }]
    expect(stopped(viewOf(...waits, { type: 'run-start' }))).toEqual([false, true])
  })

  it('shows the answer that a swarm has composed, which is the text of no step', () => {
    const view = viewOf({ type: 'run-end', finishReason: 'stop', text: 'Composed', usage: {} })
    expect([answerOf(view), view.isOpen]).toEqual(['Composed', false])
  })

  it('opens again when a decision continues the run, and asks for an approval once', () => {
    const request = { approvalId: 'a', callId: 'c', name: 'pay', input: {}, kind: 'approval' } as const
    const view = viewOf(
      step(1),
      { type: 'tool-call', callId: 'c', name: 'pay', input: {} },
      { type: 'approval-request', ...request },
      { type: 'run-end', finishReason: 'approval', text: '', usage: {} },
      { type: 'run-start' },
      { type: 'approval-request', ...request },
    )
    expect([view.isOpen, view.end, view.approvals.length]).toEqual([true, undefined, 1])
    applyEvent(view, {
      seq: 9,
      runId: 'run_1',
      path: ['boss'],
      type: 'run-end',
      finishReason: 'stop',
      text: '',
      usage: {},
    })
    expect(view.approvals[0]?.isOpen).toBe(false)
  })
})

describe('the narrowest limit of a budget', () => {
  const end = (cost?: { usd: number }): Given => ({
    ...{ type: 'step-end', step: 1, model: 'a/b', finishReason: 'stop', usage: { totalTokens: 500 } },
    ...(cost && { cost }),
  })
  const start: Given = { type: 'run-start', budget: { tokens: 1_000, usd: 1, seconds: 100 } }

  it.each([
    [{ usd: 0.9 }, 10, { limit: 'usd', used: 0.9, most: 1 }],
    [{ usd: 0.1 }, 10, { limit: 'tokens', used: 500, most: 1_000 }],
    [{ usd: 0.1 }, 80, { limit: 'seconds', used: 80, most: 100 }],
  ])('with %j after %i s is %j', (cost, seconds, expected) => {
    expect(narrowest(viewOf(start, step(1), end(cost)), seconds)).toEqual(expected)
  })

  it('is neither the cost nor the tokens if they are unknown for a call, and there is none without limits', () => {
    expect(narrowest(viewOf(start, step(1), end({ usd: 0.9 }), step(2), end()), 0)?.limit).toBe('tokens')
    expect(narrowest(viewOf({ type: 'run-start' }), 5)).toBe(undefined)
    const untold: Given = { type: 'step-end', step: 2, model: 'a/b', finishReason: 'stop', usage: {} }
    const [byTokens, bySeconds] = [500, 5].map((tokens) =>
      viewOf({ ...start, budget: { tokens, seconds: 100 } } as Given, step(1), end({ usd: 0.1 }), step(2), untold),
    )
    expect([byTokens, bySeconds].map((view) => view && narrowest(view, 1)?.limit)).toEqual(['seconds', 'seconds'])
  })
})
