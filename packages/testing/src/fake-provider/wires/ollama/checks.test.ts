import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FakeProvider, fakeProvider } from '../../fake-provider.ts'

const user = { role: 'user', content: 'Hello' }
const call = { id: 'call_1', function: { name: 'add', arguments: { a: 1 } } }
const calls = { role: 'assistant', content: '', tool_calls: [call] }
const result = { role: 'tool', content: '3', tool_name: 'add', tool_call_id: 'call_1' }

let server: FakeProvider
beforeAll(async () => {
  server = await fakeProvider('ollama', () => 'fine')
})
afterAll(() => server.close())

async function post(body: object | string, path = '/api/chat'): Promise<{ status: number; error?: string }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(server.url + path, { method: 'POST', body: text })
  const { error } = (await response.json()) as { error?: string }
  return { status: response.status, ...(error && { error }) }
}

it.each<[string, object]>([
  ['a whole conversation', { messages: [{ role: 'system', content: 's' }, user, calls, result, user] }],
  ['calls and results without ids', { messages: [user, withCall({ id: undefined }), { role: 'tool', content: '3' }] }],
  ['thinking of an earlier turn', { messages: [user, { role: 'assistant', content: '', thinking: 'hm' }, user] }],
  ['images', { messages: [{ ...user, images: ['iVBORw0KGgo='] }] }],
  ['a schema', { format: { type: 'object' } }],
  ['any JSON', { format: 'json' }],
  ['a way to think', { think: 'high' }],
  ['not to think', { model: 'llama3.2', think: false }],
  ['tools', { tools: [tool({ a: { type: ['number', 'null'], anyOf: [{ type: 'number' }] }, b: nested() })] }],
  ['options', { options: { num_ctx: 8192 }, keep_alive: '5m', truncate: false }],
  ['fields that it does not know', { warmth: 1 }],
])('accepts %s', async (_, change) => {
  expect(await post({ model: 'qwen3:8b', messages: [user], stream: false, ...change })).toEqual({ status: 200 })
})

it.each<[string, object | string, string]>([
  ['a body that is not JSON', '{"model":', 'unexpected EOF'],
  ['no model', { model: undefined }, 'model is required'],
  ['messages that are not a list', { messages: 'Hello' }, 'json: cannot unmarshal string into Go struct field'],
  ['an unknown role', { messages: [{ role: 'developer', content: '' }] }, 'invalid role: developer'],
  [
    'content in parts',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] },
    'json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string',
  ],
  ['an image that is a data URL', { messages: [picture('data:image/png;base64,AA==')] }, 'base64 data at input byte 4'],
  ['an image that is an address', { messages: [picture('https://example.com/a.png')] }, 'base64 data at input byte 5'],
  ['an image that is a path', { messages: [picture('/etc/hostname')] }, 'base64 data at input byte 12'],
  ['padding amid an image', { messages: [picture('A=AA')] }, 'illegal base64 data at input byte 1'],
  ['an image that is an object', { messages: [picture({ type: 'Buffer' })] }, 'cannot unmarshal object'],
  [
    'arguments that are text',
    { messages: [user, withCall({ function: { name: 'add', arguments: '{}' } })] },
    'json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type ' +
      'api.ToolCallFunctionArguments',
  ],
  ['a call id that is a number', { messages: [user, { ...result, tool_call_id: 1 }] }, 'cannot unmarshal number'],
  ['an unknown way to think', { think: 'xhigh' }, 'invalid think value: "xhigh"'],
  ['to think so much', { think: 3 }, 'think must be a boolean or string'],
  ['to think with a model that cannot', { model: 'llama3.2', think: true }, '"llama3.2" does not support thinking'],
  [
    'tools for a model that takes none',
    { model: 'gemma3:4b', tools: [tool({})] },
    'registry.ollama.ai/library/gemma3:4b does not support tools',
  ],
  ['an unknown format', { format: 'xml' }, 'invalid format: "xml"'],
  ['a format that is a list', { format: [] }, 'invalid format: []'],
  ['tools that are not a list', { tools: {} }, 'cannot unmarshal object into Go struct field ChatRequest.tools'],
  ['a property that is true', { tools: [tool({ a: true })] }, 'cannot unmarshal bool'],
  ['a property of a number for a type', { tools: [tool({ a: { type: 1 } })] }, 'of type []string'],
  ['an enum that is not a list', { tools: [tool({ a: { enum: 'one' } })] }, 'cannot unmarshal string'],
  ['a choice that is true', { tools: [tool({ a: { anyOf: [true] } })] }, 'cannot unmarshal bool'],
  ['a deep property that is true', { tools: [tool({ a: { properties: { b: true } } })] }, 'cannot unmarshal bool'],
  ['names that are numbers', { tools: [required([1])] }, 'cannot unmarshal number'],
  ['options that are a list', { options: [] }, 'cannot unmarshal array into Go struct field ChatRequest.options'],
])('rejects %s', async (_, change, error) => {
  const body = typeof change === 'string' ? change : { model: 'qwen3:8b', messages: [user], ...change }
  const answer = await post(body)
  expect(answer.error).toContain(error)
  expect(answer.status).toBe(400)
})

it.each<[string, object]>([
  ['model', { model: 1 }],
  ['messages.thinking', { messages: [{ ...user, thinking: 1 }] }],
  ['messages.tool_name', { messages: [{ ...result, tool_name: 1 }] }],
  ['messages.tool_calls', { messages: [{ ...calls, tool_calls: 1 }] }],
  ['messages.tool_calls', { messages: [{ ...calls, tool_calls: [1] }] }],
  ['messages.tool_calls.id', { messages: [withCall({ id: 1 })] }],
  ['messages.tool_calls.function', { messages: [withCall({ function: 1 })] }],
  ['messages.tool_calls.function.name', { messages: [withCall({ function: { name: 1 } })] }],
  ['tools', { tools: [1] }],
  ['tools.type', { tools: [{ type: 1 }] }],
  ['tools.function', { tools: [{ function: 1 }] }],
  ['tools.function.name', { tools: [{ function: { name: 1 } }] }],
  ['tools.function.description', { tools: [{ function: { description: 1 } }] }],
  ['tools.function.parameters', { tools: [{ function: { parameters: 1 } }] }],
  ['tools.function.parameters.type', { tools: [{ function: { parameters: { type: 1 } } }] }],
  ['tools.function.parameters.properties', { tools: [tool(1)] }],
  ['tools.function.parameters.properties.description', { tools: [tool({ a: { description: 1 } })] }],
])('accepts no number for %s', async (path, change) => {
  const { status, error } = await post({ model: 'qwen3:8b', messages: [user], ...change })
  expect(error).toContain(`json: cannot unmarshal number into Go struct field ChatRequest.${path} of type`)
  expect(status).toBe(400)
})

it.each<[object | string, string]>([
  ['a text', 'unexpected EOF'],
  [{ model: '' }, 'model is required'],
  [{ input: 1 }, 'invalid input type'],
  [{ input: undefined }, 'invalid input type'],
])('rejects the embedding of %j', async (change, error) => {
  const body = typeof change === 'string' ? change : { model: 'nomic-embed-text', input: 'a', ...change }
  expect(await post(body, '/api/embed')).toEqual({ status: 400, error })
})

function picture(image: unknown): object {
  return { ...user, images: [image] }
}

function withCall(change: object): object {
  return { ...calls, tool_calls: [{ ...call, ...change }] }
}

function tool(properties: unknown): object {
  return { type: 'function', function: { name: 'add', parameters: { type: 'object', properties } } }
}

function required(names: unknown[]): object {
  return { type: 'function', function: { name: 'add', parameters: { type: 'object', required: names } } }
}

function nested(): object {
  return { type: 'object', properties: { c: { type: 'string', enum: ['x', 1] } }, additionalProperties: false }
}
