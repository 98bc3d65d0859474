import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FakeProvider, fakeProvider } from '../../fake-provider.ts'

const gptOss = 'openai/gpt-oss-120b'
const llama = 'llama-3.3-70b-versatile'
const qwen = 'qwen/qwen3-32b'
const user = { role: 'user', content: 'Hello' }
const said = { role: 'assistant', content: 'Hi' }
const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }
const calls = { role: 'assistant', content: null, tool_calls: [call] }
const result = { role: 'tool', content: '3', tool_call_id: 'call_1' }
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
const parameters = { type: 'object', properties: { a: { type: 'number' } } }
const tools = [tool()]
const json = { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: parameters } } }

let server: FakeProvider
beforeAll(async () => {
  server = await fakeProvider('groq', () => 'fine')
})
afterAll(() => server.close())

async function post(body: object, key = 'Bearer test'): Promise<{ status: number; message?: string }> {
  const headers = { ...(key && { authorization: key }) }
  const address = `${server.url}/openai/v1/chat/completions`
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = (await response.json()) as { error?: { message: string } }
  return { status: response.status, ...(answer.error && { message: answer.error.message }) }
}

it.each<[string, object]>([
  ['a conversation with tools', { messages: [{ role: 'system', content: 's' }, user, calls, result, user], tools }],
  ['calls of tools that are gone', { messages: [user, calls, result], disable_tool_validation: true }],
  ['reasoning of an earlier turn', { model: gptOss, messages: [user, { ...said, reasoning: 'hm' }, user] }],
  ['effort', { model: gptOss, reasoning_effort: 'low' }],
  ['effort for a newer Qwen', { model: 'qwen/qwen3.8-27b', reasoning_effort: 'medium' }],
  ['no effort', { model: qwen, reasoning_effort: 'none', reasoning_format: 'parsed', tools }],
  ['images', { model: 'meta-llama/llama-4-scout-17b-16e-instruct', messages: [{ role: 'user', content: [image] }] }],
  ['a schema', { model: gptOss, ...json }],
  ['a choice of a tool', { tools, tool_choice: named('add') }],
  ['tokens and options', { max_completion_tokens: 100, temperature: 0, stream_options: { include_usage: true } }],
])('accepts %s', async (_, change) => {
  expect(await post({ model: llama, messages: [user], ...change })).toEqual({ status: 200 })
})

it.each<[string, object, string]>([
  ['no model', { model: undefined }, "property 'model' is missing"],
  ['no messages', { messages: undefined }, "property 'messages' is missing"],
  ['empty messages', { messages: [] }, "'messages' : minimum number of items is 1"],
  ['messages that are not a list', { messages: 'Hello' }, "'messages' : value must be an array"],
  ['an unknown field', { reasoning: { effort: 'low' } }, "property 'reasoning' is unsupported"],
  ['an unknown role', { messages: [{ role: 'robot', content: '' }] }, "property 'role' has invalid value"],
  [
    'reasoning_content',
    { messages: [user, { ...said, reasoning_content: 'hm' }, user] },
    "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property " +
      "'reasoning_content' is unsupported)]",
  ],
  [
    'reasoning for a model without',
    { messages: [user, { ...said, reasoning: 'hm' }, user] },
    'messages.1.reasoning: reasoning is not supported with this model',
  ],
  ['no content', { messages: [{ role: 'user' }] }, "property 'content' is missing"],
  ['an empty list of parts', { messages: [{ role: 'user', content: [] }] }, 'minimum number of items is 1'],
  [
    'content that is a value',
    { messages: [{ role: 'user', content: {} }] },
    "'messages.0.content' : value must be a string",
  ],
  [
    'calls that are not a list',
    { messages: [{ ...calls, tool_calls: {} }] },
    "'messages.0.tool_calls' : value must be an array",
  ],
  ['a tool that is none', { tools: ['add'] }, "'tools.0' : value must be an object"],
  ['an unknown format of reasoning', { model: qwen, reasoning_format: 'xml' }, "['hidden','raw','parsed']"],
  ['an unknown part', { messages: [{ role: 'user', content: [{ type: 'file' }] }] }, "property 'type' has invalid"],
  [
    'an image for a model that sees nothing',
    { messages: [{ role: 'user', content: [image] }] },
    "for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)]",
  ],
  [
    'an image from a tool',
    { messages: [user, calls, { ...result, content: [image] }], tools },
    "'messages.2.content.0'",
  ],
  ['a result without a call id', { messages: [{ role: 'tool', content: '' }] }, "property 'tool_call_id' is missing"],
  ['a result without a call', { messages: [user, result] }, '`call_1` was not found'],
  ['an empty list of calls', { messages: [{ ...calls, tool_calls: [] }] }, 'minimum number of items is 1'],
  ['a call without an id', { messages: [withCall({ id: undefined })] }, 'with an id and a type'],
  [
    'arguments that are a value',
    { messages: [withCall({ function: { name: 'add', arguments: {} } })] },
    "'messages.0.tool_calls.0.function.arguments' : value must be a string",
  ],
  ['a call of a tool that is not offered', { messages: [user, calls, result] }, 'requested tool does not exist'],
  ['tools that are not a list', { tools: {} }, "'tools' : value must be an array"],
  ['129 tools', { tools: Array.from({ length: 129 }, (_, i) => tool({ name: `t${i}` })) }, 'number of items is 128'],
  ['two tools of one name', { tools: [tool(), tool()] }, "duplicate function name 'add'"],
  ['an unknown tool', { tools: [{ type: 'custom' }] }, "property 'type' has invalid value"],
  ['a tool without a function', { tools: [{ type: 'function' }] }, "property 'function' is missing"],
  ['a tool without a name', { tools: [tool({ name: undefined })] }, "property 'name' is missing"],
  ['a name with a dot', { tools: [tool({ name: 'math.add' })] }, 'does not match the pattern'],
  ['a schema of no object', { tools: [tool({ parameters: { type: 'string' } })] }, 'invalid JSON schema for tool add'],
  ['an unknown tool_choice', { tools, tool_choice: 'any' }, "'tool_choice' : value is not one of the allowed values"],
  ['a choice of no name', { tools, tool_choice: { type: 'function' } }, "property 'name' is missing"],
  ['a choice of a tool that is not offered', { tools, tool_choice: named('sub') }, 'requested tool does not exist'],
  ['an unknown effort', { model: gptOss, reasoning_effort: 'xhigh' }, "allowed values ['none','default','low'"],
  [
    'levels for qwen',
    { model: qwen, reasoning_effort: 'low' },
    '`reasoning_effort` must be one of `none` or `default`',
  ],
  ['no effort for gpt-oss', { model: gptOss, reasoning_effort: 'none' }, 'one of `low`, `medium`, or `high`'],
  ['effort for a model without', { reasoning_effort: 'low' }, '`reasoning_effort` is not supported with this model'],
  ['a format for a model without', { reasoning_format: 'parsed' }, '`reasoning_format` is not supported'],
  ['two ways to hide', { model: qwen, reasoning_format: 'parsed', include_reasoning: true }, 'cannot specify both'],
  ['raw reasoning with tools', { model: qwen, reasoning_format: 'raw', tools }, 'must be `parsed` or `hidden`'],
  ['a schema in a stream', { model: gptOss, stream: true, ...json }, 'does not support streaming'],
  ['a schema with tools', { model: gptOss, tools, ...json }, 'json mode cannot be combined with tool/function calling'],
  ['a schema for a model without', json, 'This model does not support response format `json_schema`'],
  [
    'a schema without a name',
    { model: gptOss, response_format: { type: 'json_schema', json_schema: { schema: parameters } } },
    "property 'name' is missing",
  ],
  ['an unknown format', { response_format: { type: 'xml' } }, 'not one of the allowed values'],
  ['two answers', { n: 2 }, "'n' : number must be at most 1"],
  ['no tokens', { max_completion_tokens: 0 }, 'number must be at least 1'],
  ['tokens in parts', { max_completion_tokens: 1.5 }, 'value must be an integer'],
  ['too many tokens', { max_completion_tokens: 1_000_000 }, 'must be less than or equal to `131072`'],
  ['a hot temperature', { temperature: 3 }, "'temperature' : number must be at most 2"],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, "'stop' : maximum number of items is 4"],
])('rejects %s', async (_, change, message) => {
  const answer = await post({ model: llama, messages: [user], ...change })
  expect(answer.message).toContain(message)
  expect(answer.status).toBe(400)
})

it('requires a key', async () => {
  expect(await post({}, '')).toEqual({ status: 401, message: 'Invalid API Key' })
})

function tool(change: object = {}): object {
  return { type: 'function', function: { name: 'add', parameters, ...change } }
}

function named(name: string): object {
  return { type: 'function', function: { name } }
}

function withCall(change: object): object {
  return { ...calls, tool_calls: [{ ...call, ...change }] }
}
