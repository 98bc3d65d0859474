import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { calls, eventLines, follow, idOf, payer, session, sessionKey, shown, wordsOf } from '../__fixtures__/payer.ts'
import type { AgentRun, RunResult } from '../index.ts'

describe('an iterated run', () => {
  it('waits for approval, then runs the call and continues', async () => {
    const payment = payer([calls('pay 5'), 'Paid.'])
    const { events, result } = await follow(payment.agent.stream('Pay', session), async ({ approvalId }, run) => {
      expect(payment.done).toEqual([])
      run.approve(approvalId)
    })
    expect(payment.done).toEqual(['pay 5'])
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Paid.', approvals: [], steps: 2 })
    expect(eventLines(events)).toEqual([
      ...['run-start', 'step-start 1', 'tool-call pay5', 'approval-request pay5', 'tool-result pay5', 'step-end 1'],
      ...['step-start 2', 'text-delta', 'text-delta', 'text-delta', 'step-end 2', 'run-end stop'],
    ])
    expect(await shown(payment)).toEqual(['user: Pay', 'assistant: pay5', 'tool: paid', 'assistant: Paid.'])
    expect(wordsOf(result.messages)).toEqual(await shown(payment))
  })

  it('emits the call in its approval request, as a copy', async () => {
    const { agent, done } = payer([calls('pay 5'), 'Paid.'])
    const { result } = await follow(agent.stream('Pay'), (request, run) => {
      expect(request).toMatchObject({ callId: 'pay5', kind: 'approval', name: 'pay', input: { amount: 5 } })
      Object.assign(request.input as object, { amount: 1_000 })
      run.approve(request.approvalId)
    })
    expect(done).toEqual(['pay 5'])
    expect(JSON.stringify(result.messages)).not.toContain('1000')
  })

  it('sends the model the reason of a denied call, and does not run it', async () => {
    const payment = payer([calls('pay 5'), 'Very well.'])
    const { events, result } = await follow(payment.agent.stream('Pay', session), ({ approvalId }, run) =>
      run.deny(approvalId, 'Too much.'),
    )
    expect(payment.done).toEqual([])
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Very well.' })
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ callId: 'pay5', isError: true })
    expect(payment.model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'The call was denied: Too much.',
      isError: true,
    })
  })

  it('may be denied without a reason', async () => {
    const { agent, model } = payer([calls('pay 5'), 'Very well.'])
    await follow(agent.stream('Pay'), ({ approvalId }, run) => run.deny(approvalId))
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('The call was denied: no reason was given.')
  })

  it('runs calls without approval at once, and those that were approved together', async () => {
    const payment = payer([calls('pay 1', 'look 2', 'pay 3', 'look 4', 'pay 5'), 'Done.'])
    const { events, result } = await follow(payment.agent.stream('Pay', session), ({ approvalId, callId }, run) => {
      expect(payment.done).toEqual(['look 2', 'look 4'])
      if (callId === 'pay3') run.deny(approvalId, 'no')
      else run.approve(approvalId)
    })
    expect(payment.done).toEqual(['look 2', 'look 4', 'pay 1', 'pay 5'])
    expect(eventLines(events).slice(7, 16)).toEqual([
      ...['tool-result look2', 'tool-result look4'],
      ...['approval-request pay1', 'approval-request pay3', 'approval-request pay5'],
      ...['tool-result pay1', 'tool-result pay3', 'tool-result pay5', 'step-end 1'],
    ])
    const results = ['tool: paid', 'tool: seen', 'tool: The call was denied: no', 'tool: seen', 'tool: paid']
    expect((await shown(payment)).filter((words) => words.startsWith('tool'))).toEqual(results)
    expect(wordsOf(result.messages).filter((words) => words.startsWith('tool'))).toEqual(results)
    expect(wordsOf(payment.model.requests[1]?.messages ?? []).slice(-5)).toEqual(results)
  })

  it('waits in a later step, and again in the next one', async () => {
    const payment = payer([calls('look 1'), calls('pay 2'), calls('pay 3'), 'Done.'])
    const { events, result } = await follow(payment.agent.stream('Pay', session))
    expect(payment.done).toEqual(['look 1', 'pay 2', 'pay 3'])
    expect(eventLines(events).filter((words) => words.startsWith('approval'))).toEqual([
      'approval-request pay2',
      'approval-request pay3',
    ])
    expect(result).toMatchObject({ finishReason: 'stop', steps: 4, usage: { totalTokens: 60 } })
    expect(await shown(payment)).toHaveLength(8)
  })

  it('requests approval by the rule of the tool, for calls that will run only', async () => {
    const { agent, done, model } = payer(
      [{ toolCalls: [...calls('pay 5', 'pay 500').toolCalls, { name: 'pay', input: { amount: 'all' } }] }, 'Done.'],
      { needsApproval: (input) => (input as { amount: number }).amount > 100 },
    )
    const { events } = await follow(agent.stream('Pay'))
    expect(eventLines(events).filter((words) => words.startsWith('approval'))).toEqual(['approval-request pay500'])
    expect(done).toEqual(['pay 5', 'pay 500'])
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('do not fit')
  })

  it('requests approval when the rule throws', async () => {
    const { agent, done } = payer([calls('pay 5'), 'Done.'], {
      needsApproval: () => {
        throw new Error('The rule is broken.')
      },
    })
    const { result } = await follow(agent.stream('Pay'), ({ approvalId }, run) => run.deny(approvalId))
    expect([result.finishReason, done]).toEqual(['stop', []])
  })

  it('is not held up by a rule that hangs, once it is aborted', async () => {
    const { agent } = payer([calls('pay 5')], { needsApproval: () => new Promise<boolean>(() => {}) })
    const run = agent.stream('Pay', session)
    setTimeout(run.cancel, 10)
    expect((await run.result).finishReason).toBe('aborted')
  })

  it('does not hold the session while it waits', async () => {
    const payment = payer([calls('pay 5'), 'Hello.', 'Paid.'])
    const { result } = await follow(payment.agent.stream('Pay', session), async ({ approvalId }, run) => {
      expect(await payment.agent.chat('Hi', session)).toBe('Hello.')
      run.approve(approvalId)
    })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Paid.' })
    expect(await shown(payment)).toEqual([
      ...['user: Pay', 'assistant: pay5', 'tool: paid', 'assistant: Paid.'],
      ...['user: Hi', 'assistant: Hello.'],
    ])
    // The model sees what happened meanwhile.
    expect(wordsOf(payment.model.requests[2]?.messages ?? [])).toEqual([
      ...['user: Hi', 'assistant: Hello.', 'user: Pay', 'assistant: pay5', 'tool: paid'],
    ])
  })

  it('does not count the time that it waits', async () => {
    const { agent } = payer([calls('pay 5'), 'Paid.'], { budget: { seconds: 60 } })
    const now = performance.now.bind(performance)
    let moved = 0
    using _clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + moved)
    const { result } = await follow(agent.stream('Pay'), async ({ approvalId }, run) => {
      await sleep(1)
      moved = 70_000
      run.approve(approvalId)
    })
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Paid.' })
  })

  it('counts the time after that', async () => {
    const { agent } = payer([calls('pay 5'), () => new Promise(() => {})], { budget: { seconds: 0.3 } })
    const { result } = await follow(agent.stream('Pay'))
    expect(result.finishReason).toBe('budget')
  })

  it('sees the turn of an earlier run that ended while it waited', async () => {
    const payment = payer([calls('look 1', 'pay 2'), calls('pay 3'), 'First done.', 'Done.'])
    const first = await payment.agent.stream('First', session).result
    await follow(payment.agent.stream('Second', session), async ({ approvalId }, run) => {
      await payment.agent.resume(first.runId, { [idOf(first.runId, '1-pay2')]: true }).result
      run.approve(approvalId)
    })
    const before = [
      'user: First',
      'assistant: look1',
      'assistant: pay2',
      'tool: seen',
      'tool: paid',
      'assistant: First done.',
    ]
    expect(wordsOf(payment.model.requests[3]?.messages ?? [])).toEqual([
      ...[...before, 'user: Second', 'assistant: pay3', 'tool: paid'],
    ])
    expect((await shown(payment)).slice(0, -1)).toEqual(wordsOf(payment.model.requests[3]?.messages ?? []))
  })

  it('counts no call that was denied', async () => {
    const { agent, done } = payer([calls('pay 1', 'pay 2'), 'Done.'], { budget: { toolCalls: 1 } })
    const { result } = await follow(agent.stream('Pay'), ({ approvalId, callId }, run) =>
      callId === 'pay1' ? run.deny(approvalId) : run.approve(approvalId),
    )
    expect([result.finishReason, done]).toEqual(['stop', ['pay 2']])
  })

  it('ends as no-progress when it is approved to do the same over and over', async () => {
    const turns = Array.from({ length: 8 }, () => calls('pay 5'))
    const { agent, done } = payer(turns)
    const { result } = await follow(agent.stream('Pay', session))
    expect([result.finishReason, done.length]).toEqual(['no-progress', 6])
  })

  it.each(['1-pay6', '2-pay5', ''])('refuses decisions on calls that do not wait: %j', async (unknown) => {
    const { agent, done } = payer([calls('pay 5'), 'Paid.'])
    await follow(agent.stream('Pay'), ({ approvalId }, run) => {
      expect(() => run.approve(unknown)).toThrow(expect.objectContaining({ code: 'not-found' }))
      run.approve(approvalId)
      expect(() => run.deny(approvalId)).toThrow(expect.objectContaining({ code: 'session-conflict' }))
    })
    expect(done).toEqual(['pay 5'])
  })
})

describe('a run without a caller that can decide', () => {
  it.each<[string, (run: AgentRun<unknown>) => Promise<RunResult>]>([
    ['has no reader', (run) => run.result],
    ['has the option `onApproval: end`', async (run) => (await follow(run, () => {})).result],
  ])('ends with its pending approvals: it %s', async (what, finish) => {
    const payment = payer([calls('look 1', 'pay 5')])
    const options = what === 'has the option `onApproval: end`' ? { ...session, onApproval: 'end' as const } : session
    const result = await finish(payment.agent.stream('Pay', options))
    expect(result).toMatchObject({
      finishReason: 'approval',
      approvals: [{ callId: 'pay5', kind: 'approval', name: 'pay', input: { amount: 5 } }],
      steps: 1,
      usage: { totalTokens: 15 },
    })
    expect(result.error).toBeUndefined()
    expect(payment.done).toEqual(['look 1'])
    expect(await payment.store.find(result.runId)).toMatchObject({ status: 'waiting', usage: { totalTokens: 15 } })
    expect(await shown(payment)).toEqual([
      ...['user: Pay', 'assistant: look1', 'tool: seen', 'assistant: [stopped: waiting for approval]'],
    ])
    expect(wordsOf(result.messages)).toEqual(await shown(payment))
  })

  it('emits its requests to a later iteration, and accepts no decision any more', async () => {
    const { agent } = payer([calls('pay 5')])
    const run = agent.stream('Pay')
    await run.result
    const { events, result } = await follow(run, ({ approvalId, input }) => {
      expect(() => run.approve(approvalId)).toThrow('is resumed by agent.resume(runId, decisions)')
      Object.assign(input as object, { amount: 1_000 })
    })
    expect(result.approvals).toMatchObject([{ input: { amount: 5 } }])
    expect(eventLines(events).slice(-2)).toEqual(['approval-request pay5', 'run-end approval'])
  })

  it('is an error of chat, which says how to resume it', async () => {
    const payment = payer([calls('pay 5'), 'Paid.'])
    const error = await payment.agent.chat('Pay', session).catch((error) => error)
    expect(error).toMatchObject({ code: 'approval', usage: { totalTokens: 15 } })
    expect(error.message).toBe(
      `The run ${error.runId} waits for approval of "${idOf(error.runId, '1-pay5')}" (pay). Decide by agent.resume(runId, decisions).`,
    )
    const { text } = await payment.agent.resume(error.runId, { [idOf(error.runId, '1-pay5')]: true }).result
    expect([text, payment.done]).toEqual(['Paid.', ['pay 5']])
  })
})

describe('a run that its reader leaves while it waits', () => {
  it('ends at once, with its pending approvals', async () => {
    const payment = payer([calls('pay 5'), 'Paid.'])
    const run = payment.agent.stream('Pay', session)
    for await (const event of run) if (event.type === 'approval-request') break
    const result = await run.result
    expect(result).toMatchObject({ finishReason: 'approval', approvals: [{ callId: 'pay5' }] })
    expect((await payment.agent.resume(run.runId, { [idOf(run.runId, '1-pay5')]: true }).result).text).toBe('Paid.')
    expect(payment.done).toEqual(['pay 5'])
  })

  it('executes earlier decisions', async () => {
    const payment = payer([calls('pay 1', 'pay 2', 'pay 3'), 'Done.'])
    const run = payment.agent.stream('Pay', session)
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      if (event.callId === 'pay1') run.approve(event.approvalId)
      if (event.callId === 'pay2') run.deny(event.approvalId, 'no')
      if (event.callId === 'pay3') break
    }
    const result = await run.result
    expect(result).toMatchObject({ finishReason: 'approval', approvals: [{ callId: 'pay3' }] })
    expect(payment.done).toEqual(['pay 1'])
    expect((await payment.agent.resume(run.runId, { [idOf(run.runId, '1-pay3')]: true }).result).text).toBe('Done.')
    expect(payment.done).toEqual(['pay 1', 'pay 3'])
    expect((await shown(payment)).slice(-4)).toEqual([
      ...['tool: paid', 'tool: The call was denied: no', 'tool: paid', 'assistant: Done.'],
    ])
  })

  it.each(['left', 'cancelled'])('does not wait for a reader of its requests when it is %s', async (how) => {
    const input = { note: 'x'.repeat(8_000) }
    const { agent } = payer([{ toolCalls: Array.from({ length: 100 }, () => ({ name: 'pay', input })) }])
    const run = agent.stream('Pay', session)
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      // Meanwhile as many wait to be read as may.
      await sleep(50)
      if (how === 'cancelled') run.cancel()
      break
    }
    expect((await run.result).finishReason).toBe(how === 'left' ? 'approval' : 'aborted')
  })

  it('buffers no more of its requests than of other events', async () => {
    const input = { note: 'x'.repeat(150_000) }
    const { agent } = payer([{ toolCalls: [{ name: 'pay', input }] }])
    const run = agent.stream('Pay')
    await run.result
    expect(() => run[Symbol.asyncIterator]()).toThrow('were not read while it ran')
  })
})

describe('a run that is stopped while it waits', () => {
  it.each([
    ['while it is asked', false],
    ['in the moment in which all is decided', true],
  ])('is aborted by its signal %s: it stays suspended in its session', async (_, approve) => {
    const payment = payer([calls('look 1', 'pay 5'), 'Paid.'])
    const controller = new AbortController()
    const run = payment.agent.stream('Pay', { ...session, signal: controller.signal })
    const { events, result } = await follow(run, ({ approvalId }) => {
      if (approve) run.approve(approvalId)
      controller.abort()
    })
    expect(result).toMatchObject({ finishReason: 'aborted', approvals: [{ callId: 'pay5' }] })
    expect(eventLines(events).at(-1)).toBe('run-end aborted')
    expect(() => run.approve(idOf(run.runId, '1-pay5'))).toThrow(expect.objectContaining({ code: 'not-found' }))
    expect(payment.done).toEqual(['look 1'])
    expect(wordsOf(result.messages)).toEqual(await shown(payment))
    expect(await payment.store.find(run.runId)).toMatchObject({ status: 'waiting' })
    expect((await payment.agent.resume(run.runId, { [idOf(run.runId, '1-pay5')]: true }).result).text).toBe('Paid.')
  })

  it.each([
    ['while it is asked', false],
    ['in the moment in which all is decided', true],
  ])('is cancelled %s: it cannot be resumed', async (_, approve) => {
    const payment = payer([calls('look 1', 'pay 5'), 'Paid.'])
    const run = payment.agent.stream('Pay', session)
    const { events, result } = await follow(run, ({ approvalId }) => {
      if (approve) run.approve(approvalId)
      run.cancel()
    })
    expect(result).toMatchObject({ finishReason: 'aborted', approvals: [] })
    expect(eventLines(events).at(-1)).toBe('run-end aborted')
    expect(wordsOf(result.messages)).toEqual(await shown(payment))
    expect(await payment.store.find(run.runId)).toMatchObject({ status: 'failed' })
    const resumed = await payment.agent.resume(run.runId, { [idOf(run.runId, '1-pay5')]: true }).result
    expect(resumed.error).toMatchObject({ code: 'session-conflict' })
    // With an approval, the decision that came first is what refuses this one.
    if (!approve) expect(resumed.error?.message).toContain('cancelled')
    expect(payment.done).toEqual(['look 1'])
  })

  it('is cancelled at once, and stays suspended, where another run holds the session', async () => {
    const payment = payer([calls('pay 5'), () => new Promise(() => {}), 'Paid.'])
    const run = payment.agent.stream('Pay', session)
    const other = payment.agent.stream('Hi', session)
    const { result } = await follow(run, async () => {
      void other.result
      while (payment.model.requests.length < 2) await sleep(1)
      run.cancel()
    })
    expect(result).toMatchObject({ finishReason: 'aborted', approvals: [{ callId: 'pay5' }] })
    other.cancel()
    expect((await payment.agent.resume(run.runId, { [idOf(run.runId, '1-pay5')]: true }).result).text).toBe('Paid.')
  })

  it('ends with its pending approvals when the time of its signal is over, and can be resumed', async () => {
    const payment = payer([calls('pay 5'), 'Paid.'])
    const run = payment.agent.stream('Pay', { ...session, signal: AbortSignal.timeout(300) })
    const { events, result } = await follow(run, () => {})
    expect(result).toMatchObject({ finishReason: 'approval', approvals: [{ callId: 'pay5' }] })
    expect(result.error).toBeUndefined()
    expect(eventLines(events).at(-1)).toBe('run-end approval')
    expect((await payment.agent.resume(run.runId, { [idOf(run.runId, '1-pay5')]: true }).result).text).toBe('Paid.')
  })

  it('has the time that was left when a person has decided, however long that took', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const late = async (): Promise<string> => {
      await vi.advanceTimersByTimeAsync(1_500)
      return 'Paid.'
    }
    for (const [timeoutMs, outcome] of [
      [2_000, { text: 'Paid.' }],
      [1_000, { error: { code: 'timeout' } }],
    ] as const) {
      const payment = payer([calls('pay 5'), late])
      const run = payment.agent.stream('Pay', { ...session, timeoutMs })
      const { result } = await follow(run, async ({ approvalId }) => {
        await vi.advanceTimersByTimeAsync(60_000)
        run.approve(approvalId)
      })
      expect(result).toMatchObject(outcome)
    }
  })

  it.each(['aborted', 'cancelled'])(
    'is valid in its session and runs nothing twice, whichever event it is %s at',
    async (how) => {
      const eventCount = 24
      for (let index = 0; index < eventCount; index++) {
        const turns = [calls('look 1'), calls('look 2', 'pay 3', 'pay 4'), 'Done.', 'Done.']
        const payment = payer(turns, { hooks: { afterTool: async () => undefined } })
        const controller = new AbortController()
        const run = payment.agent.stream('Pay', { ...session, signal: controller.signal })
        let seen = 0
        for await (const event of run) {
          if (event.type === 'approval-request' && seen <= index) run.approve(event.approvalId)
          if (seen++ !== index) continue
          if (how === 'cancelled') run.cancel()
          else controller.abort()
        }
        const { finishReason, approvals } = await run.result
        expect(finishReason).toBe(index < seen - 1 ? 'aborted' : 'stop')
        expect(seen).toBeLessThanOrEqual(eventCount)
        await shown(payment)
        const paid = payment.done.filter((what) => what.startsWith('pay'))
        const { status } = (await payment.store.find(run.runId)) ?? {}
        // What still waits has not been paid, and is paid once when it continues.
        if (how === 'cancelled') expect(status).not.toBe('waiting')
        if (status === 'waiting') {
          expect([paid, approvals.map(({ callId }) => callId)]).toEqual([[], ['pay3', 'pay4']])
          await payment.agent.resume(run.runId, {
            [idOf(run.runId, '2-pay3')]: true,
            [idOf(run.runId, '2-pay4')]: true,
          }).result
          await shown(payment)
        }
        const times = new Set(payment.done)
        expect(payment.done).toHaveLength(times.size)
        expect(await payment.agent.chat('Are you there?', session).catch((error) => error.code)).toBeDefined()
      }
    },
  )

  it('keeps a finished call, and runs no further one, when it is stopped after its approval', async () => {
    const controller = new AbortController()
    const payment = payer([calls('pay 1', 'pay 2')], {
      pay(amount, signal) {
        if (amount === 1) return 'paid'
        setTimeout(() => controller.abort(), 5)
        return new Promise((_, reject) => signal.addEventListener('abort', reject))
      },
    })
    const run = payment.agent.stream('Pay', { ...session, signal: controller.signal })
    const { result } = await follow(run)
    expect(result).toMatchObject({ finishReason: 'aborted', approvals: [] })
    expect(await payment.store.find(run.runId)).toMatchObject({ status: 'failed' })
    expect(await shown(payment)).toEqual([
      ...['user: Pay', 'assistant: pay1', 'tool: paid', 'assistant: [stopped: aborted]'],
    ])
    // It ended: nothing of it is approved again.
    expect((await payment.agent.resume(run.runId, { [idOf(run.runId, '1-pay2')]: true }).result).error?.code).toBe(
      'session-conflict',
    )
    expect(payment.done).toEqual(['pay 1', 'pay 2'])
  })
})

describe('a store that fails', () => {
  it('to answer when the run is to be stored as waiting does not keep an abort waiting', async () => {
    const payment = payer([calls('pay 5')])
    const end = payment.store.end
    const run = payment.agent.stream('Pay', session)
    payment.store.end = (...values) => {
      if (values[1] !== 'waiting') return end(...values)
      setTimeout(run.cancel, 5)
      return new Promise(() => {})
    }
    expect(await run.result).toMatchObject({ finishReason: 'aborted', approvals: [] })
  })

  it.each([
    ['in its session', session],
    ['without a session', {}],
  ])('to suspend a run that was cancelled meanwhile ends it: it cannot be resumed, %s', async (_, where) => {
    const payment = payer([calls('pay 5'), 'Paid.'])
    const { store } = payment
    const end = store.end
    store.end = async (...values) => {
      if (values[1] === 'waiting') {
        run.cancel()
        await sleep(60)
      }
      return end(...values)
    }
    const run = payment.agent.stream('Pay', where)
    expect(await run.result).toMatchObject({ finishReason: 'aborted', approvals: [] })
    await vi.waitFor(
      async () => {
        // Without a session nothing is kept of a run that has ended.
        expect((await store.find(run.runId))?.status).toBe('sessionId' in where ? 'failed' : undefined)
      },
      { timeout: 60_000 },
    )
    const { error } = await payment.agent.resume(run.runId, { [idOf(run.runId, '1-pay5')]: true }).result
    expect(error?.code).toBe('session-conflict')
    expect(payment.done).toEqual([])
  })

  it('to answer then ends the run at its deadline: whether it is suspended is unknown', async () => {
    const payment = payer([calls('pay 5')])
    const end = payment.store.end
    payment.store.end = (...values) => (values[1] === 'waiting' ? new Promise(() => {}) : end(...values))
    const result = await payment.agent.stream('Pay', { ...session, timeoutMs: 200 }).result
    expect(result).toMatchObject({ error: { code: 'timeout' }, approvals: [] })
  })

  it('when the run is suspended, ends the run without a request', async () => {
    const payment = payer([calls('pay 5')])
    const end = payment.store.end
    payment.store.end = async (...values) => {
      if (values[1] === 'waiting') throw new Error('disk full')
      return end(...values)
    }
    const { events, result } = await follow(payment.agent.stream('Pay', session))
    expect(result.error?.code).toBe('storage')
    expect(eventLines(events)).not.toContain('approval-request pay5')
    expect(await payment.store.turns(sessionKey)).toMatchObject([{ status: 'failed' }])
  })

  it('after the approval, leaves the run waiting, and the call not run', async () => {
    const payment = payer([calls('pay 5'), 'Paid.'])
    const begin = payment.store.begin
    const { result } = await follow(payment.agent.stream('Pay', session), ({ approvalId }, run) => {
      payment.store.begin = async () => {
        throw new Error('no connection')
      }
      run.approve(approvalId)
    })
    expect(result).toMatchObject({ error: { code: 'storage' }, approvals: [{ callId: 'pay5' }] })
    expect(payment.done).toEqual([])
    payment.store.begin = begin
    expect((await payment.agent.resume(result.runId, { [idOf(result.runId, '1-pay5')]: true }).result).text).toBe(
      'Paid.',
    )
    expect(payment.done).toEqual(['pay 5'])
  })
})
