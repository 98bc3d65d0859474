import { Agent, Swarm, tool, workflow } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import * as ai7 from 'ai'
import type { ModelMessage } from 'ai6'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { citation, clerk, look, pay, versions, weather, withoutPrintedWarnings } from './__fixtures__/clerk.ts'
import { toAISDK } from './index.ts'

withoutPrintedWarnings()

describe.each(versions)('an agent as a model of `ai` %s', (_version, ai) => {
  it('answers generateText, its own tools executed', async () => {
    const { agent } = clerk([look, 'It rains.'])
    const result = await ai.generateText({ model: toAISDK(agent), prompt: 'Oslo?' })
    expect(result.text).toBe('Let me look.\n\nIt rains.')
    expect(result.finishReason).toBe('stop')
    expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 10, totalTokens: 30 })
    expect(result.steps).toHaveLength(1)
    expect(result.toolCalls).toMatchObject([
      { toolName: 'weather', input: { city: 'Oslo' }, providerExecuted: true, dynamic: true },
    ])
    expect(result.toolResults).toMatchObject([{ toolName: 'weather', output: { city: 'Oslo', sky: 'rain' } }])
    expect(result.sources).toMatchObject([
      { sourceType: 'document', title: 'notes/a.md: Rain', filename: 'notes/a.md', mediaType: 'text/markdown' },
    ])
    expect(result.sources[0]?.providerMetadata?.agentkit).toEqual(citation)
    expect(result.providerMetadata?.agentkit).toEqual({ runId: result.response.id })
    expect(result.response.modelId).toBe('clerk')
  })

  it('answers streamText with the same parts', async () => {
    const { agent } = clerk([look, 'It rains.'])
    const result = ai.streamText({ model: toAISDK(agent), prompt: 'Oslo?' })
    const types: string[] = []
    for await (const { type } of result.fullStream) if (types.at(-1) !== type) types.push(type)
    expect(types).toEqual([
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end'],
      ...['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call', 'tool-result', 'source'],
      ...['text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
    ])
    expect(await result.text).toBe('Let me look.\n\nIt rains.')
    expect(await result.finishReason).toBe('stop')
    expect((await result.usage).totalTokens).toBe(30)
    const { id, modelId } = await result.response
    expect([id, modelId]).toEqual([(await result.providerMetadata)?.agentkit?.runId, 'clerk'])
  })

  it('makes a stream for a page on useChat', async () => {
    const { agent } = clerk([look, 'It rains.'])
    const body = await ai
      .streamText({ model: toAISDK(agent), prompt: 'Oslo?' })
      .toUIMessageStreamResponse({ sendSources: true })
      .text()
    expect(body).toContain('"tool-output-available"')
    expect(body).toContain('"type":"source-document"')
    expect(body.trim().endsWith('data: [DONE]')).toBe(true)
  })

  it('reports a tool that failed', async () => {
    const { agent } = clerk([{ toolCalls: [{ name: 'weather', input: { city: 'Atlantis' } }] }, 'No idea.'])
    const { content } = await ai.generateText({ model: toAISDK(agent), prompt: 'Atlantis?' })
    expect(content.find(({ type }) => type === 'tool-error')).toMatchObject({ error: 'It is under water.' })
  })

  it('has reasoning parts', async () => {
    const { agent } = clerk([{ reasoning: 'Hm.', text: 'Yes.' }], [])
    const { reasoningText, text } = await ai.generateText({ model: toAISDK(agent), prompt: 'Well?' })
    expect([reasoningText, text]).toEqual(['Hm.', 'Yes.'])
  })

  it('receives the conversation, with the calls of earlier answers', async () => {
    const { agent, model } = clerk([look, 'It rains.', 'Still.'])
    const first = await ai.generateText({ model: toAISDK(agent), prompt: 'Oslo?' })
    const messages = [
      { role: 'user' as const, content: 'Oslo?' },
      ...first.response.messages,
      { role: 'user' as const, content: 'And now?' },
    ]
    await ai.generateText({ model: toAISDK(agent), messages, system: 'Speak plainly.' })
    expect(model.requests.at(-1)?.messages).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'Oslo?' }] },
      {
        role: 'assistant',
        content: [{ text: 'Let me look.' }, { type: 'tool-call', name: 'weather', input: { city: 'Oslo' } }],
      },
      { role: 'tool', name: 'weather', content: expect.stringContaining('rain') },
      { role: 'assistant', content: [{ type: 'text' }] },
      { role: 'user', content: [{ text: '<system>\nSpeak plainly.\n</system>' }, { text: 'And now?' }] },
    ])
  })

  it('receives a conversation that a greeting begins, or a user without a word, from the first question on', async () => {
    const { agent, model } = clerk(['It snows.'])
    const messages: ModelMessage[] = [
      { role: 'assistant', content: 'How can I help?' },
      { role: 'user', content: '' },
      { role: 'assistant', content: 'Ask me anything.' },
      { role: 'user', content: 'Oslo?' },
      { role: 'assistant', content: 'It rains.' },
      { role: 'user', content: '' },
      { role: 'user', content: 'And tomorrow?' },
    ]
    const { text } = await ai.generateText({ model: toAISDK(agent), messages })
    expect(text).toBe('It snows.')
    const said = model.requests[0]?.messages
    expect(said?.map(({ role, content }) => [role, content])).toEqual([
      ['user', [{ type: 'text', text: 'Oslo?' }]],
      ['assistant', [{ type: 'text', text: 'It rains.' }]],
      ['user', [{ type: 'text', text: 'And tomorrow?' }]],
    ])
  })

  it('receives the result of each call, also where answers use an id again', async () => {
    const { agent, model } = clerk(['Windy.'], [])
    const called = { toolCallId: '0', toolName: 'weather' }
    const turn = (value: string): ModelMessage[] => [
      { role: 'user', content: 'Oslo?' },
      { role: 'assistant', content: [{ type: 'tool-call', ...called, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...called, output: { type: 'text', value } }] },
    ]
    const messages: ModelMessage[] = [...turn('Rain.'), ...turn('Snow.'), { role: 'user', content: 'And now?' }]
    await ai.generateText({ model: toAISDK(agent), messages })
    const results = model.requests[0]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    expect(results).toEqual(['Rain.', 'Snow.'])
  })

  it('receives the images that a tool of an earlier answer has returned as images', async () => {
    const parts = [
      { type: 'text', text: 'Here.' },
      { type: 'image', base64: 'aGk=', mediaType: 'image/png' },
    ]
    const chart = tool({ name: 'chart', description: 'Draws.', input: z.object({}), execute: () => parts })
    const { agent, model } = clerk([{ toolCalls: [{ name: 'chart' }] }, 'Drawn.', 'It rises.'], [chart])
    const first = await ai.generateText({ model: toAISDK(agent), prompt: 'Draw it.' })
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Draw it.' },
      ...first.response.messages,
      { role: 'user', content: 'Does it rise?' },
    ]
    await ai.generateText({ model: toAISDK(agent), messages })
    expect(model.requests[2]?.messages.find(({ role }) => role === 'tool')?.content).toEqual(parts)
    expect(model.requests[1]?.messages.find(({ role }) => role === 'tool')?.content).toEqual(parts)
  })

  it('receives the words of a call that has failed as its model has read them', async () => {
    const fail = (): never => {
      throw new Error('The street is closed.')
    }
    const route = tool({ name: 'route', description: 'Finds a way.', input: z.object({}), execute: fail })
    const { agent, model } = clerk([{ toolCalls: [{ name: 'route' }] }, 'It is closed.', 'Walk.'], [route])
    const first = await ai.generateText({ model: toAISDK(agent), prompt: 'How do I get there?' })
    const messages: ModelMessage[] = [
      { role: 'user', content: 'How do I get there?' },
      ...first.response.messages,
      { role: 'user', content: 'And now?' },
    ]
    await ai.generateText({ model: toAISDK(agent), messages })
    const results = model.requests.slice(1).map((request) => request.messages.find(({ role }) => role === 'tool'))
    const result = { content: 'The street is closed.', isError: true }
    expect(results).toMatchObject([result, result])
  })

  it('receives the images and texts of an earlier result, and a line for each file that it cannot hold', async () => {
    const { agent, model } = clerk(['Seen.'], [])
    const called = { toolCallId: 'a', toolName: 'shot' }
    const value = [
      { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
      { type: 'file-url', url: 'https://a.example/chart.PNG?v=1', mediaType: 'image/png' },
      { type: 'file-url', url: 'https://a.example/report.pdf', mediaType: 'application/pdf' },
      { type: 'file-data', data: 'aGk=', mediaType: 'image/png' },
      { type: 'file-data', data: 'Ym9va3M=', mediaType: 'text/csv', filename: 'a.csv' },
      { type: 'file-data', data: 'JVBERi0=', mediaType: 'application/pdf' },
      { type: 'file-id', fileId: 'file_1' },
    ]
    // What of it a version takes by its types differs.
    const output = { type: 'content', value } as never
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'tool-call', ...called, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...called, output }] },
      { role: 'user', content: 'And?' },
    ]
    await ai.generateText({ model: toAISDK(agent), messages })
    const result = model.requests[0]?.messages.find(({ role }) => role === 'tool')
    expect(result?.content).toMatchObject([
      { type: 'image', base64: 'aGk=', mediaType: 'image/png' },
      { type: 'image', url: 'https://a.example/chart.PNG?v=1' },
      { type: 'text', text: '[file at https://a.example/report.pdf left out]' },
      { type: 'image', base64: 'aGk=', mediaType: 'image/png' },
      { type: 'text', text: '[file "a.csv"]\nbooks' },
      { type: 'text', text: '[file "application/pdf" left out]' },
      { type: 'text', text: '[file left out]' },
    ])
  })

  it('receives images and files, and addresses as they are', async () => {
    const { agent, model } = clerk(['A cat.'], [])
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, image: Uint8Array.of(0x89, 0x50, 0x4e, 0x47), mediaType: 'image/png' },
      { type: 'image' as const, image: new URL('https://images.example/cat.png') },
      {
        type: 'file' as const,
        data: Buffer.from('%PDF-').toString('base64'),
        mediaType: 'application/pdf',
        filename: 'a.pdf',
      },
    ]
    await ai.generateText({ model: toAISDK(agent), messages: [{ role: 'user', content }] })
    expect(model.requests[0]?.messages[0]?.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image', base64: 'iVBORw==', mediaType: 'image/png' },
      { type: 'image', url: 'https://images.example/cat.png' },
      { type: 'file', base64: 'JVBERi0=', mediaType: 'application/pdf', name: 'a.pdf' },
    ])
  })

  it('remembers a session, of a user that the call names', async () => {
    const { agent, model, sessions } = clerk(['Hello.', 'Ada.'], [])
    const bound = toAISDK(agent, { userId: 'ada', sessionId: 'one' })
    await ai.generateText({ model: bound, prompt: 'I am Ada.' })
    await ai.generateText({
      model: toAISDK(agent),
      prompt: 'Who am I?',
      providerOptions: { agentkit: { userId: 'ada', sessionId: 'one' } },
    })
    expect(model.requests[1]?.messages).toHaveLength(3)
    const key = { agentId: 'clerk', userId: 'ada', sessionId: 'one' }
    expect((await sessions.load(key))?.messages).toHaveLength(4)
  })

  it('refuses a misspelt user: another one would be asked', async () => {
    const { agent } = clerk(['Hello.'], [])
    const ask = (providerOptions: Record<string, Record<string, string>>) =>
      ai.generateText({ model: toAISDK(agent), prompt: 'Hi', providerOptions })
    await expect(ask({ agentkit: { user_id: 'ada' } })).rejects.toThrow('Did you mean `userId`?')
    // The types refuse it.
    const list = ['ada'] as unknown as Record<string, string>
    await expect(ask({ agentkit: list })).rejects.toThrow('is an object: { userId, sessionId }')
  })

  it('warns of the tools and settings of the caller, which it does not use', async () => {
    const { agent } = clerk(['Hello.', 'Hello.'], [])
    const mine = ai.tool({ inputSchema: z.object({}), execute: () => 'mine' })
    const call = { model: toAISDK(agent), prompt: 'Hi', tools: { mine }, temperature: 0.5 }
    const streamed = ai.streamText(call)
    expect(await streamed.text).toBe('Hello.')
    for (const warnings of [(await ai.generateText(call)).warnings, await streamed.warnings]) {
      expect(warnings).toMatchObject([
        { type: 'unsupported', feature: 'tools', details: expect.stringContaining('mine') },
        { type: 'unsupported', feature: 'temperature' },
      ])
    }
  })

  it('ends with `other` at an approval, which the agent resumes', async () => {
    const { agent } = clerk([{ toolCalls: [{ name: 'pay' }] }, 'Paid.'], [pay])
    const generated = await ai.generateText({ model: toAISDK(agent), prompt: 'Pay.' })
    expect(generated.finishReason).toBe('other')
    const { runId, approvals } = z
      .object({ runId: z.string(), approvals: z.array(z.object({ approvalId: z.string(), name: z.string() })) })
      .parse(generated.providerMetadata?.agentkit)
    expect(approvals).toMatchObject([{ name: 'pay' }])
    const resumed = await agent.resume(runId, { [approvals[0]?.approvalId ?? '']: true }).result
    expect(resumed.text).toBe('Paid.')
    const streamed = ai.streamText({
      model: toAISDK(clerk([{ toolCalls: [{ name: 'pay' }] }], [pay]).agent),
      prompt: 'Pay.',
    })
    await streamed.consumeStream()
    expect(await streamed.finishReason).toBe('other')
    expect((await streamed.providerMetadata)?.agentkit).toMatchObject({ approvals: [{ name: 'pay' }] })
  })

  it.each<[string, Parameters<typeof clerk>[0]]>([
    ['beside calls of tools', [look, '{"city":"Rome"}']],
    ['before an answer that fits', ['In Rome.', '{"city":"Rome"}']],
    ['in a code block', ['```json\n{"city":"Rome"}\n```']],
    ['in brackets beside calls', [{ ...look, text: '[Let me look]' }, ' {"city":"Rome"}']],
  ])('makes objects of the answer alone, whatever the agent says %s', async (_where, turns) => {
    const schema = z.object({ city: z.string() })
    const model = () =>
      toAISDK(new Agent({ name: 'Own', functions: [weather], output: schema, model: scriptedModel(turns) }))
    const output = ai.Output.object({ schema })
    const whole = await ai.generateText({ model: model(), output, prompt: 'Where?' })
    expect(whole.output).toEqual({ city: 'Rome' })
    const streamed = ai.streamText({ model: model(), output, prompt: 'Where?' })
    const drafts = await Array.fromAsync(streamed.experimental_partialOutputStream)
    expect(drafts.at(-1)).toEqual({ city: 'Rome' })
  })

  it('makes objects, by an agent with an output and by one that is asked for JSON', async () => {
    const schema = z.object({ city: z.string() })
    const own = new Agent({ name: 'Own', functions: [], output: schema, model: scriptedModel(['{"city":"Oslo"}']) })
    expect((await ai.generateObject({ model: toAISDK(own), schema, prompt: 'Where?' })).object).toEqual({
      city: 'Oslo',
    })
    const { agent, model } = clerk(['{"city":"Rome"}'], [])
    const { output } = await ai.generateText({
      model: toAISDK(agent),
      output: ai.Output.object({ schema }),
      prompt: 'Where?',
    })
    expect(output).toEqual({ city: 'Rome' })
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('JSON Schema')
  })
})

describe('a swarm as a model', () => {
  const member = (name: string, ...turns: Parameters<typeof scriptedModel>[0]): Agent =>
    new Agent({ name, functions: [], model: scriptedModel(turns), description: name })

  it.each<[string, Swarm, string]>([
    [
      'manager',
      new Swarm({
        ...{ name: 'Team', agents: [member('Ann', 'Five.')], collaboration: 'manager' },
        model: scriptedModel([{ toolCalls: [{ name: 'ann', input: { task: 'Count.' } }] }, 'It is five.']),
      }),
      'It is five.',
    ],
    [
      'sequence',
      new Swarm({ name: 'Team', agents: [member('Ann', 'A.'), member('Bob', 'B.')], collaboration: 'sequence' }),
      'B.',
    ],
    [
      'handoff',
      new Swarm({
        ...{ name: 'Team', collaboration: 'handoff' },
        agents: [member('Ann', { toolCalls: [{ name: 'transfer_to_bob', input: {} }] }), member('Bob', 'I am Bob.')],
      }),
      'I am Bob.',
    ],
  ])('speaks with the voice of the one who answers: %s', async (_kind, swarm, text) => {
    expect(await ai7.streamText({ model: toAISDK(swarm), prompt: 'Hi' }).text).toBe(text)
  })

  it('speaks with the answer of a workflow, not with the texts between its steps', async () => {
    const flow = workflow({ name: 'Flow' }).step(member('Ann', 'A draft.')).step(member('Bob', 'The letter.'))
    expect(await ai7.streamText({ model: toAISDK(flow.asAgent()), prompt: 'Hi' }).text).toBe('The letter.')
  })
})

describe('toAISDK()', () => {
  it.each<[string, unknown, unknown, string]>([
    ['what is not an agent', {}, {}, 'Pass an agent or a swarm'],
    ['an unknown option', clerk([]).agent, { user: 'ada' }, 'Unknown option `user`'],
    ['a user that is no text', clerk([]).agent, { userId: 5 }, '`userId` is a text'],
    ['an empty session', clerk([]).agent, { sessionId: '' }, '`sessionId` is a text'],
  ])('refuses %s', (_what, agent, options, message) => {
    expect(() => toAISDK(agent as Agent, options as object)).toThrow(message)
  })
})
