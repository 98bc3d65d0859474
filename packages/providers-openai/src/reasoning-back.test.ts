import { Agent, tool } from '@agentkit/core'
import { expect, it } from 'vitest'
import { chatDelta, json, loopback, sse, streaming } from './__fixtures__/loopback.ts'
import { openai } from './index.ts'

const sky = tool({ name: 'sky', description: 'The sky.', input: { type: 'object' }, execute: () => 'blue' })
const choice = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
})
const called = (field: string) =>
  sse(
    choice({ [field]: 'I ' }),
    choice({ [field]: 'look.' }),
    choice({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'sky', arguments: '{}' } }] }),
    choice({}, 'tool_calls'),
    '[DONE]',
  )
const answered = sse(chatDelta('It is blue.'), choice({}, 'stop'), '[DONE]')
const refused = json(400, { error: { message: 'The `reasoning_content` must be passed back to the API.' } })

type Sent = { tool_calls?: unknown; reasoning_content?: string }

it.each([
  ['reasoning_content', 'I look.'],
  ['reasoning', undefined],
])('gives reasoning that came as `%s` back to its model as `reasoning_content`: %j', async (field, expected) => {
  await using server = await loopback((response, request) => {
    const call = (request.body.messages as Sent[]).find((message) => message.tool_calls)
    if (!call) return streaming(response).end(called(field))
    const isTaken = call.reasoning_content === (request.body.model === 'thinker' ? expected : undefined)
    // As DeepSeek and Moonshot do.
    return isTaken ? streaming(response).end(answered) : refused(response, request)
  })
  const provider = openai({ name: 'thinkers', baseURL: server.baseURL })
  const agent = new Agent({ name: 'Guide', functions: [sky], model: provider.model('thinker') })
  const { error, text, messages } = await agent.stream('How is the sky?').result
  expect([error, text]).toEqual([undefined, 'It is blue.'])
  // Other models get none.
  const other = new Agent({ name: 'Guide', functions: [sky], model: provider.model('other') })
  const second = await other.stream('Sure?', { history: messages }).result
  expect([second.error, second.text]).toEqual([undefined, 'It is blue.'])
})

it('gives the `reasoning_details` of a gateway back, each with the id of its call', async () => {
  const text = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
  const callId = 'tool_look_up_the_weather_of_a_city_U2ZJEE46KT9PuS0ZAsbt'
  const first = sse(
    choice({ reasoning: 'I ', reasoning_details: [{ ...text, text: 'I ' }] }),
    choice({ reasoning: 'look.', reasoning_details: [{ ...text, text: 'look.' }] }),
    choice({ reasoning_details: [{ ...text, text: null, signature: 'sig' }] }),
    choice({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'AA==', id: callId, index: 1 }, null] }),
    choice({ tool_calls: [{ index: 0, id: callId, function: { name: 'sky', arguments: '{}' } }] }),
    choice({}, 'tool_calls'),
    '[DONE]',
  )
  const turns = [first, answered]
  await using server = await loopback((response) => streaming(response).end(turns.shift()))
  const model = openai({ name: 'openrouter', baseURL: server.baseURL }).model('google/gemini-3-flash')
  const { messages } = await new Agent({ name: 'Guide', functions: [sky], model }).stream('How is the sky?').result
  expect(messages[1]?.content).toMatchObject([
    { type: 'reasoning', text: 'I look.' },
    { type: 'tool-call', callId },
  ])
  const sent = server.requests[1]?.body.messages as { tool_calls?: { id: string }[]; reasoning_details?: object[] }[]
  const call = sent.find((message) => message.tool_calls)
  expect(call?.reasoning_details).toEqual([
    { ...text, text: 'I look.', signature: 'sig' },
    { type: 'reasoning.encrypted', data: 'AA==', id: call?.tool_calls?.[0]?.id, index: 1 },
  ])
})

it('gives the signature of a call back to the model of Gemini that has made it, and to no other', async () => {
  const signature = { google: { thought_signature: 'sig' } }
  const first = { index: 0, id: 'c1', function: { name: 'sky', arguments: '{}' }, extra_content: signature }
  const second = { index: 1, id: 'c2', function: { name: 'sky', arguments: '{}' } }
  await using server = await loopback((response, request) => {
    const calls = (request.body.messages as { tool_calls?: { extra_content?: unknown }[] }[]).find((m) => m.tool_calls)
    if (!calls)
      return streaming(response).end(sse(choice({ tool_calls: [first, second] }), choice({}, 'stop'), '[DONE]'))
    const sent = calls.tool_calls?.map((call) => call.extra_content)
    const expected = request.body.model === 'gemini-3-flash' ? [signature, undefined] : [undefined, undefined]
    // As Google's server does.
    const isTaken = JSON.stringify(sent) === JSON.stringify(expected)
    return isTaken ? streaming(response).end(answered) : refused(response, request)
  })
  const provider = openai({ name: 'google', baseURL: server.baseURL })
  const agent = new Agent({ name: 'Guide', functions: [sky], model: provider.model('gemini-3-flash') })
  const { error, text, messages } = await agent.stream('How is the sky?').result
  expect([error, text]).toEqual([undefined, 'It is blue.'])
  const other = new Agent({ name: 'Guide', functions: [sky], model: provider.model('other') })
  const next = await other.stream('Sure?', { history: messages }).result
  expect([next.error, next.text]).toEqual([undefined, 'It is blue.'])
})
