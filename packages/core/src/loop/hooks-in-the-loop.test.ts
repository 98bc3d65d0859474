import { type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import {
  calls,
  eventLines,
  follow,
  type PayerOptions,
  payer,
  session,
  sessionKey,
  shown,
  wordsOf,
} from '../__fixtures__/payer.ts'
import {
  Agent,
  type AgentEvent,
  AgentKitError,
  type Citation,
  type Hooks,
  type ModelRequest,
  type RunResult,
  tool,
} from '../index.ts'

const overloaded = new AgentKitError('overloaded', 'Busy.', { retryable: true })

describe('the hook `input`', () => {
  it('changes the question that is sent and stored', async () => {
    const { result, stored, model } = await run(['Fine.'], {
      input: (message) => ({ ...message, content: `${message.content}, please` }),
    })
    expect(stored).toEqual(['user: Go, please', 'assistant: Fine.'])
    expect(wordsOf(result.messages)).toEqual(stored)
    expect(wordsOf(model.requests[0]?.messages ?? [])).toEqual(['user: Go, please'])
  })

  it('blocks with a reason, which is the answer: nothing is asked or stored', async () => {
    const { result, stored, model, events } = await run([], { input: () => ({ block: 'Not that.' }) })
    expect(result).toMatchObject({ finishReason: 'content-filter', text: 'Not that.', steps: 0, usage: {} })
    expect(result.messages).toEqual([])
    expect([stored, model.requests]).toEqual([[], []])
    expect(events.map(({ type }) => type)).toEqual(['run-start', 'text-delta', 'run-end'])
    expect(textOf(events)).toBe('Not that.')
  })

  it('that blocks is an answer of chat too', async () => {
    const agent = new Agent({
      name: 'Test',
      functions: [],
      model: scriptedModel([]),
      hooks: { input: async () => ({ block: 'Not that.' }) },
    })
    expect(await agent.chat('Go')).toBe('Not that.')
  })
})

describe('the hook `beforeModel`', () => {
  it('changes each request', async () => {
    const { result, model } = await run([calls('look 1'), 'Fine.'], {
      beforeModel: (request) => ({ ...request, temperature: request.messages.length }),
    })
    expect(model.requests.map(({ temperature }) => temperature)).toEqual([1, 3])
    expect(wordsOf(result.messages)).toEqual(['user: Go', 'assistant: look1', 'tool: seen', 'assistant: Fine.'])
  })

  it('selects tools, and the one that takes the answer stays', async () => {
    const output = { type: 'object', properties: { sum: { type: 'number' } } }
    const answer = { toolCalls: [{ name: 'final_answer', input: { sum: 7 } }] }
    const { result, model } = await run(
      [calls('look 1'), answer],
      { beforeModel: (request) => ({ ...request, tools: request.tools?.filter(({ name }) => name === 'look') ?? [] }) },
      { output },
    )
    expect(model.requests.map(({ tools = [] }) => tools.map(({ name }) => name))).toEqual([
      ['look', 'final_answer'],
      ['look', 'final_answer'],
    ])
    expect(result).toMatchObject({ finishReason: 'stop', output: { sum: 7 } })
  })

  it('sees every attempt, and the request of every model', async () => {
    const seen: number[] = []
    const models: PayerOptions['models'] = [
      scriptedModel([overloaded, overloaded], { id: 'a/a' }),
      scriptedModel(['Fine.'], { id: 'b/b' }),
    ]
    const { result } = await run([], { beforeModel: ({ messages }) => void seen.push(messages.length) }, { models })
    expect([result.text, seen]).toEqual(['Fine.', [1, 1, 1]])
  })

  it('that takes a tool out of a request makes it unavailable: its calls neither ask nor run', async () => {
    const { result, model, events } = await run([calls('pay 1', 'look 2'), calls('pay 3'), 'Fine.'], {
      beforeModel: (request) => ({ ...request, tools: request.tools?.filter(({ name }) => name !== 'pay') ?? [] }),
    })
    const not = 'tool: The tool "pay" is not available in this step.'
    expect(wordsOf(result.messages)).toEqual([
      ...['user: Go', 'assistant: pay1', 'assistant: look2', not, 'tool: seen'],
      ...['assistant: pay3', not, 'assistant: Fine.'],
    ])
    expect(events.filter(({ type }) => type === 'approval-request')).toEqual([])
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([['look'], ['look'], ['look']])
  })

  it('may give a tool another name, which `afterModel` takes back', async () => {
    const { result } = await run([calls('see 1'), 'Fine.'], {
      beforeModel: (request) => ({ ...request, tools: request.tools?.map((tool) => ({ ...tool, name: 'see' })) ?? [] }),
      afterModel: (message) => ({
        ...message,
        content: message.content.map((part) => (part.type === 'tool-call' ? { ...part, name: 'look' } : part)),
      }),
    })
    expect(wordsOf(result.messages)).toEqual(['user: Go', 'assistant: see1', 'tool: seen', 'assistant: Fine.'])
  })

  it('blocks with a reason, which is the answer and stored as such; finished calls stay', async () => {
    const { result, stored, model, events } = await run([calls('look 1'), 'Never said.', 'Next.'], {
      beforeModel: ({ messages }) => (messages.length === 3 ? { block: 'Enough.' } : undefined),
    })
    expect(result).toMatchObject({ finishReason: 'content-filter', text: 'Enough.', steps: 1 })
    expect(model.requests).toHaveLength(1)
    expect(stored).toEqual(['user: Go', 'assistant: look1', 'tool: seen', 'assistant: Enough.'])
    expect(wordsOf(result.messages)).toEqual(stored)
    expect(textOf(events)).toBe('Enough.')
  })

  it('that throws ends the run: it is not tried again, and no other model is asked', async () => {
    let times = 0
    const models: PayerOptions['models'] = [scriptedModel(['a'], { id: 'a/a' }), scriptedModel(['b'], { id: 'b/b' })]
    const broken: Hooks = {
      beforeModel() {
        times++
        throw new Error('broken')
      },
    }
    const { result } = await run([], broken, { models })
    expect(result.error).toMatchObject({ code: 'invalid-config', message: 'The hook `beforeModel` failed: broken' })
    expect([times, ...models.map(({ requests }) => requests.length)]).toEqual([1, 0, 0])
  })

  describe('on a long conversation', () => {
    const history = Array.from({ length: 40 }, (_, turn) => [
      { role: 'user' as const, content: `Question ${turn}: ${'why and how '.repeat(20)}` },
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Because of this. '.repeat(20) }] },
    ]).flat()
    const isGo = ({ messages }: ModelRequest): boolean => messages.at(-1)?.content === 'Go'
    const turn: ScriptedTurn = (request) => (isGo(request) ? 'Fine.' : 'A summary.')
    const summarizer = (): ScriptedModel => {
      return scriptedModel(new Array(10).fill(turn), { info: { contextWindow: 3_000, maxOutputTokens: 500 } })
    }

    it('receives the request for a summary', async () => {
      const seen: string[] = []
      const model = summarizer()
      const hooks: Hooks = { beforeModel: ({ messages }) => void seen.push(JSON.stringify(messages)) }
      const { result } = await run([], hooks, { models: [model] }, history)
      expect([result.text, model.requests.length]).toEqual(['Fine.', seen.length])
      expect(seen.length).toBeGreaterThan(1)
    })

    it('blocks the run by the request for its summary', async () => {
      const model = summarizer()
      const hooks: Hooks = { beforeModel: (request) => (isGo(request) ? undefined : { block: 'Not that.' }) }
      const { result } = await run([], hooks, { models: [model] }, history)
      expect(result).toMatchObject({ finishReason: 'content-filter', text: 'Not that.', warnings: [] })
      expect(model.requests).toEqual([])
    })

    it('that throws at a summary ends the run', async () => {
      const model = summarizer()
      const hooks: Hooks = {
        beforeModel(request) {
          if (!isGo(request)) throw new Error('broken')
        },
      }
      const { result } = await run([], hooks, { models: [model] }, history)
      expect(result.error).toMatchObject({ code: 'invalid-config', message: 'The hook `beforeModel` failed: broken' })
      expect(model.requests).toEqual([])
    })
  })
})

describe('the hook `afterModel`', () => {
  it('changes the events, the stored message and the result', async () => {
    const { result, stored, events } = await run(['The secret is xyzzy.'], { afterModel: redact })
    expect(result.text).toBe('The secret is ***.')
    expect(textOf(events)).toBe('The secret is ***.')
    expect(stored).toEqual(['user: Go', 'assistant: The secret is ***.'])
    expect(JSON.stringify(events)).not.toContain('xyzzy')
  })

  it('passes unchanged events on as they arrive, once', async () => {
    const turns: ScriptedTurn[] = [{ reasoning: 'Hm', text: 'Let me see', ...calls('look 1') }, 'Fine.']
    const held = await run(turns, { afterModel: () => undefined })
    const free = await run(turns, {})
    expect(withoutTimes(held.events)).toEqual(withoutTimes(free.events))
    expect(held.stored).toEqual(free.stored)
  })

  it('takes calls out: they are neither emitted nor executed nor stored', async () => {
    const { result, stored, events, done } = await run([calls('look 1', 'look 2'), 'Fine.'], {
      afterModel: (message) => ({
        ...message,
        content: message.content.filter((part) => part.type !== 'tool-call' || part.callId !== 'look1'),
      }),
    })
    expect(done).toEqual(['look 2'])
    expect(eventLines(events).filter((words) => words.startsWith('tool'))).toEqual([
      'tool-call look2',
      'tool-result look2',
    ])
    expect(stored).toEqual(['user: Go', 'assistant: look2', 'tool: seen', 'assistant: Fine.'])
    expect(wordsOf(result.messages)).toEqual(stored)
  })

  it('changes the input of calls', async () => {
    const { done, stored, events } = await run([calls('look 1'), 'Fine.'], {
      afterModel: (message) => JSON.parse(JSON.stringify(message).replace('"amount":1', '"amount":2')),
    })
    expect(done).toEqual(['look 2'])
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({ input: { amount: 2 } })
    expect(stored).toHaveLength(4)
  })

  it('does not change a call whose arguments do not parse', async () => {
    const { model, events } = await run(
      [{ toolCalls: [{ name: 'look', inputText: '{"amount":' }], text: 'xyzzy' }, 'Fine.'],
      {
        afterModel: redact,
      },
    )
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({ input: '{"amount":' })
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('not valid JSON')
  })

  it('changes the events of a call whose arguments do not parse', async () => {
    const wrong = { name: 'look', inputText: '{"amount":"xyzzy' }
    const { result, events } = await run([{ toolCalls: [wrong] }, 'Fine.'], { afterModel: redact })
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({ input: '{"amount":"***' })
    expect(JSON.stringify([events, result.messages])).not.toContain('xyzzy')
  })

  it.each(['with', 'without'])('may give such a call arguments, %s their text', async (text) => {
    const { done, result } = await run(
      [{ toolCalls: [{ name: 'look', callId: 'a', inputText: '{"amount": 2' }] }, 'Fine.'],
      {
        afterModel: (message) => ({
          ...message,
          content: message.content.map((part) => {
            if (part.type !== 'tool-call') return part
            const { inputText: _, ...rest } = part
            return { ...(text === 'with' ? part : rest), input: { amount: 2 } }
          }),
        }),
      },
    )
    expect(done).toEqual(['look 2'])
    const call = { type: 'tool-call', callId: 'a', name: 'look', input: { amount: 2 } }
    expect(result.messages[1]?.content).toEqual([call])
  })

  it('may leave nothing of an answer: it is not asked for again', async () => {
    const { result, stored, model } = await run(['It is xyzzy.'], {
      afterModel: (message) => ({ ...message, content: [] }),
    })
    expect([result.finishReason, result.text, stored, model.requests.length]).toEqual(['stop', '', ['user: Go'], 1])
  })

  it('leaves no empty text behind, which providers refuse', async () => {
    const { stored, result } = await run([{ text: 'xyzzy', ...calls('look 1') }, 'Fine.'], {
      afterModel: (message) => ({
        ...message,
        content: message.content.map((part) =>
          part.type === 'text' && part.text === 'xyzzy' ? { ...part, text: '' } : part,
        ),
      }),
    })
    expect(stored).toEqual(['user: Go', 'assistant: look1', 'tool: seen', 'assistant: Fine.'])
    expect(result.text).toBe('Fine.')
  })

  it('blocks with a reason: nothing of the answer is emitted, stored or executed', async () => {
    const toolCalls = [{ name: 'look', input: { amount: 1, note: 'xyzzy' } }]
    const { result, stored, events, done } = await run([{ reasoning: 'xyzzy', text: 'It is xyzzy.', toolCalls }], {
      afterModel: () => ({ block: 'Not that.' }),
    })
    expect(result).toMatchObject({ finishReason: 'content-filter', text: 'Not that.', usage: { totalTokens: 15 } })
    expect(JSON.stringify([events, result, stored])).not.toContain('xyzzy')
    expect([done, textOf(events)]).toEqual([[], 'Not that.'])
    expect(stored).toEqual(['user: Go', 'assistant: Not that.'])
    expect(wordsOf(result.messages)).toEqual(stored)
  })
})

describe('the hook `beforeTool`', () => {
  it('changes the input', async () => {
    const { done, stored } = await run([calls('look 1'), 'Fine.'], {
      beforeTool: (call) => ({ ...call, input: { amount: 2 } }),
    })
    expect(done).toEqual(['look 2'])
    expect(stored).toContain('assistant: look1')
  })

  it('changes it before it is validated', async () => {
    const { model, done } = await run([calls('look 1'), 'Fine.'], {
      beforeTool: (call) => ({ ...call, input: { amount: 'much' } }),
    })
    expect(done).toEqual([])
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('do not fit')
  })

  it.each<[string, NonNullable<Hooks['beforeTool']>, string]>([
    [
      'blocks',
      ({ callId }) => (callId === 'look1' ? { block: 'Not that one.' } : undefined),
      'The call was blocked: Not that one.',
    ],
    ['throws', ({ callId }) => (callId === 'look1' ? fail() : undefined), 'The hook `beforeTool` failed: broken'],
    [
      'is broken',
      ({ callId }) => (callId === 'look1' ? ({ no: 1 } as never) : undefined),
      'The hook `beforeTool` returned what',
    ],
  ])('that %s ends the call alone: the model receives the reason', async (_, beforeTool, words) => {
    const { result, done, model, stored } = await run([calls('look 1', 'look 2'), 'Fine.'], { beforeTool })
    expect([result.text, done]).toEqual(['Fine.', ['look 2']])
    expect(model.requests[1]?.messages.at(-2)).toMatchObject({ isError: true, content: expect.stringContaining(words) })
    expect(stored).toHaveLength(6)
  })

  it('sees no call that was denied', async () => {
    const seen: string[] = []
    const { agent } = payer([calls('pay 1', 'pay 2'), 'Done.'], {
      hooks: { beforeTool: ({ callId }) => void seen.push(callId) },
    })
    await follow(agent.stream('Pay'), ({ approvalId, callId }, run) =>
      callId === 'pay1' ? run.approve(approvalId) : run.deny(approvalId),
    )
    expect(seen).toEqual(['pay1'])
  })

  it('cannot turn a call into one that needs approval and has none', async () => {
    const beforeTool: NonNullable<Hooks['beforeTool']> = (call) => ({ ...call, input: { amount: 500 } })
    const needsApproval = (input: unknown): boolean => (input as { amount: number }).amount > 100
    const turns = [{ toolCalls: [...calls('pay 5').toolCalls, { name: 'pay', input: { amount: '500' } }] }, 'Done.']
    const payment = payer(turns, { needsApproval, hooks: { beforeTool } })
    const { events } = await follow(payment.agent.stream('Pay'))
    expect(eventLines(events)).not.toContain('approval-request pay5')
    expect(payment.done).toEqual([])
    const results = payment.model.requests[1]?.messages.slice(-2) ?? []
    for (const { content } of results)
      expect(content).toContain('the hook `beforeTool` changed it so that it needs approval')
  })

  it('may change one that was approved', async () => {
    const beforeTool: NonNullable<Hooks['beforeTool']> = (call) => ({ ...call, input: { amount: 6 } })
    const { agent, done } = payer([calls('pay 5'), 'Done.'], { hooks: { beforeTool } })
    await follow(agent.stream('Pay'))
    expect(done).toEqual(['pay 6'])
  })
})

describe('the hook `afterTool`', () => {
  it('changes a result for the model, the events and the session', async () => {
    const { model, events, stored } = await run([calls('look 1'), 'Fine.'], {
      afterTool: (outcome) => ({ ...outcome, output: { found: outcome.output, of: outcome.input } }),
    })
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ content: '{"found":"seen","of":{"amount":1}}' })
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
      output: { found: 'seen', of: { amount: 1 } },
      isError: false,
    })
    expect(stored).toContain('tool: {"found":"seen","of":{"amount":1}}')
  })

  it('sees why a call failed, and may replace the failure by a result', async () => {
    const { model } = await run([{ toolCalls: [{ name: 'none' }] }, 'Fine.'], {
      afterTool: (outcome) => ({ ...outcome, output: `${outcome.isError} so what`, isError: false }),
    })
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      ...{ v: 1, role: 'tool', callId: 'call_1', name: 'none', content: 'true so what' },
    })
  })

  it.each<[string, NonNullable<Hooks['afterTool']>, string]>([
    ['blocks', () => ({ block: 'It is private.' }), 'The result was blocked: It is private.'],
    ['throws', () => fail(), 'The hook `afterTool` failed: broken'],
  ])('that %s keeps the result from the model, the events and the session', async (_, afterTool, words) => {
    const { result, events, model, stored } = await run([calls('look 1'), 'Fine.'], { afterTool })
    expect(JSON.stringify([result, events, model.requests, stored])).not.toContain('seen')
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ isError: true, content: words })
  })

  it('that blocks a result also removes its citations', async () => {
    const source: Citation = { file: 'a.md', start: 0, end: 1, quote: 'xyzzy', chunkId: 'c', score: { fused: 1 } }
    const search = tool({
      name: 'search',
      description: 'Searches.',
      input: { type: 'object' },
      execute: (_, { cite }) => cite([source]),
    })
    const turns = [{ toolCalls: [{ name: 'search' }] }, 'Fine.']
    for (const afterTool of [() => ({ block: 'It is private.' }), () => fail()]) {
      const { result, events } = await run(turns, { afterTool }, { functions: [search] })
      expect(result.sources).toEqual([])
      expect(JSON.stringify(events)).not.toContain('xyzzy')
    }
  })

  it('keeps the note on how to read on in a long result that it does not change', async () => {
    const long = tool({
      name: 'long',
      description: 'Says much.',
      input: { type: 'object' },
      execute: () => `${'a'.repeat(300_000)}the end`,
    })
    const turns = [
      { toolCalls: [{ name: 'long', callId: 'l' }] },
      { toolCalls: [{ name: 'read_tool_result', input: { call_id: 'l', offset: 300_000 } }] },
      'Fine.',
    ]
    const { model } = await run(turns, { afterTool: (outcome) => outcome }, { functions: [long] })
    expect(model.requests[2]?.messages.at(-1)?.content).toContain('the end')
  })
})

describe('the hook `output`', () => {
  it('changes the events, the stored message and the result of the final answer only', async () => {
    const seen: string[] = []
    const { result, stored, events } = await run([{ text: 'Let me look.', ...calls('look 1') }, 'It is xyzzy.'], {
      output({ text }) {
        seen.push(text)
        return { text: text.replace('xyzzy', '***') }
      },
    })
    expect(seen).toEqual(['It is xyzzy.'])
    expect(result.text).toBe('It is ***.')
    expect(textOf(events)).toBe('Let me look.It is ***.')
    expect(stored.at(-1)).toBe('assistant: It is ***.')
    expect(JSON.stringify([events, stored, result])).not.toContain('xyzzy')
  })

  it('passes unchanged events on as they arrive, once', async () => {
    const held = await run(['It is fine.'], { output: ({ text }) => ({ text }) })
    const free = await run(['It is fine.'], {})
    expect(withoutTimes(held.events)).toEqual(withoutTimes(free.events))
  })

  it('blocks with a reason: nothing of the answer is emitted or stored', async () => {
    const { result, stored, events } = await run([calls('look 1'), { reasoning: 'xyzzy!', text: 'It is xyzzy.' }], {
      output: () => ({ block: 'Not that.' }),
    })
    expect(result).toMatchObject({ finishReason: 'content-filter', text: 'Not that.' })
    expect(JSON.stringify([events, result, stored])).not.toContain('xyzzy')
    expect(stored).toEqual(['user: Go', 'assistant: look1', 'tool: seen', 'assistant: Not that.'])
    expect(wordsOf(result.messages)).toEqual(stored)
  })

  it('that leaves nothing stores nothing', async () => {
    const { result, stored, events } = await run(['It is xyzzy.'], { output: () => ({ text: '' }) })
    expect([result.text, textOf(events), stored]).toEqual(['', '', ['user: Go']])
  })

  it.each(['length', 'content-filter'] as const)('sees an answer that ended for %s, too', async (finishReason) => {
    const { result, events } = await run([{ text: 'It is xyzzy', finishReason }], {
      output: ({ text }) => ({ text: text.replace('xyzzy', '***') }),
    })
    expect([result.finishReason, result.text, textOf(events)]).toEqual([finishReason, 'It is ***', 'It is ***'])
  })
})

describe('an answer that has to pass a hook', () => {
  it('is emitted once, also after several attempts and several models', async () => {
    const models: PayerOptions['models'] = [
      scriptedModel(
        [
          { text: 'One xyzzy', error: overloaded },
          { text: 'Two xyzzy', error: overloaded },
        ],
        { id: 'a/a' },
      ),
      scriptedModel([{ text: 'Three xyzzy', error: overloaded }, 'It is xyzzy.'], { id: 'b/b' }),
    ]
    const { result, events, stored } = await run([], { afterModel: redact }, { models })
    expect([result.text, textOf(events)]).toEqual(['It is ***.', 'It is ***.'])
    expect(events.filter(({ type }) => type === 'step-restart')).toHaveLength(3)
    expect(JSON.stringify([events, stored, result])).not.toContain('xyzzy')
  })

  it('is emitted once, also when the hook does not change it', async () => {
    const models = [scriptedModel([{ text: 'One', error: overloaded }, 'It is fine.'])] as const
    const { events } = await run([], { output: () => undefined }, { models })
    expect(textOf(events)).toBe('It is fine.')
  })

  it('is neither emitted nor stored when the model fails or is aborted in the middle of it', async () => {
    const failed = await run([{ text: 'It is xyzzy', error: new Error('down') }], { output: () => undefined })
    expect(failed.result).toMatchObject({ finishReason: 'error', text: '' })
    expect(JSON.stringify(failed.events)).not.toContain('xyzzy')
  })

  it.each<keyof Hooks>(['input', 'beforeModel', 'afterModel', 'beforeTool', 'afterTool', 'output'])(
    'is neither emitted nor stored when the run is aborted while `%s` hangs',
    async (name) => {
      const turn = name === 'beforeTool' || name === 'afterTool' ? calls('look 1') : 'It is xyzzy.'
      const { agent } = payer([turn], { hooks: { [name]: () => new Promise(() => {}) } })
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 30)
      const { events, result } = await follow(agent.stream('Go', { ...session, signal: controller.signal }))
      expect(result).toMatchObject({ finishReason: 'aborted', text: '' })
      expect(JSON.stringify([events, result.messages])).not.toContain('xyzzy')
      expect((await agent.sessions.load(sessionKey))?.messages ?? []).toEqual([])
    },
  )

  it.each<keyof Hooks>(['input', 'beforeModel', 'afterModel', 'output'])(
    'is neither emitted nor stored when `%s` throws',
    async (name) => {
      const { events, result, stored } = await run(['It is xyzzy.'], { [name]: async () => fail() })
      expect(result).toMatchObject({
        finishReason: 'error',
        text: '',
        error: { code: 'invalid-config', message: `The hook \`${name}\` failed: broken` },
      })
      expect(JSON.stringify([events, result.messages])).not.toContain('xyzzy')
      expect(stored).toEqual([])
    },
  )
})

it('hooks receive the ids of the run, the user and the session', async () => {
  const seen = new Set<string>()
  const note = (
    _: unknown,
    { runId, userId, sessionId, signal }: { runId: string; userId: string; sessionId?: string; signal: AbortSignal },
  ) => void seen.add([runId, userId, sessionId, signal.aborted].join())
  const { result } = await run([calls('look 1'), 'Fine.'], {
    input: note,
    beforeModel: note,
    afterModel: note,
    beforeTool: note,
    afterTool: note,
    output: note,
  })
  expect([...seen]).toEqual([`${result.runId},ann,s,false`])
})

type Ran = { result: RunResult; events: AgentEvent[]; stored: string[]; model: ScriptedModel; done: string[] }

async function run(
  turns: readonly ScriptedTurn[],
  hooks: Hooks,
  options: PayerOptions = {},
  history: RunResult['messages'] = [],
): Promise<Ran> {
  const retry = { firstWaitMs: 1 }
  const own = payer(turns, { hooks, retry, ...options })
  const { events, result } = await follow(own.agent.stream('Go', { ...session, history }))
  return { events, result, stored: await shown(own), model: own.model, done: own.done }
}

const redact: NonNullable<Hooks['afterModel']> = (message) =>
  JSON.parse(JSON.stringify(message).replaceAll('xyzzy', '***'))

function textOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

function withoutTimes(events: readonly AgentEvent[]): unknown[] {
  return events.map((event) => ({ ...event, runId: '', durationMs: 0 }))
}

function fail(): never {
  throw new Error('broken')
}
