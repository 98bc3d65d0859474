import { Agent, type Message, tool } from '@agentkit/core'
import { expect, it } from 'vitest'
import { chatDelta, json, loopback, sse, streaming } from './__fixtures__/loopback.ts'
import { openai } from './index.ts'

const refused = json(400, {
  object: 'error',
  message: 'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
})
const finish = (reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
const call = { index: 0, id: 'c1', function: { name: 'photo', arguments: '{}' } }
const called = sse({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }, finish('tool_calls'), '[DONE]')
const answered = sse(chatDelta('Blue.'), finish('stop'), '[DONE]')

const photo = tool({
  name: 'photo',
  description: 'A photo.',
  input: { type: 'object' },
  execute: () => [{ type: 'image', base64: 'iVBORw0KGgo=', mediaType: 'image/png' }],
})
const history: Message[] = [{ role: 'user', content: 'Wait.' }]

type Sent = { role: string; tool_calls?: unknown }

it('asks a server whose template demands that users and assistants take turns', async () => {
  await using server = await loopback((response, request) => {
    const messages = request.body.messages as Sent[]
    // As vLLM does with the template of Mistral's models.
    const turns = messages.filter(({ role, tool_calls }) => role !== 'system' && role !== 'tool' && !tool_calls)
    const alternate = turns.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant'))
    if (!alternate) return refused(response, request)
    return streaming(response).end(messages.some(({ tool_calls }) => tool_calls) ? answered : called)
  })
  const model = openai({ baseURL: server.baseURL }).model('mistralai/Mistral-Small-3.2-24B-Instruct-2506')
  const agent = new Agent({ name: 'Guide', instruction: 'Be brief.', functions: [photo], model })
  const { error, text } = await agent.stream('How is the sky?', { history }).result
  expect([error, text]).toEqual([undefined, 'Blue.'])
})

it('sends the models of OpenAI on any server the messages as they are', async () => {
  await using server = await loopback((response, request) => {
    const roles = (request.body.messages as Sent[]).map(({ role }) => role)
    expect(roles).toEqual(['user', 'user'])
    streaming(response).end(answered)
  })
  const agent = new Agent({ name: 'Guide', model: openai({ baseURL: server.baseURL }).model('gpt-4.1') })
  expect(await agent.chat('How is the sky?', { history })).toBe('Blue.')
})
