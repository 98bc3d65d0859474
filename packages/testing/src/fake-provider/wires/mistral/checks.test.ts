import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FakeProvider, fakeProvider } from '../../fake-provider.ts'

const system = { role: 'system', content: 'Be kind.' }
const user = { role: 'user', content: 'Hello' }
const said = { role: 'assistant', content: 'Hi' }
const call = { id: 'abcDEF123', type: 'function', function: { name: 'add', arguments: '{}' }, index: 0 }
const calls = { role: 'assistant', content: '', tool_calls: [call] }
const result = { role: 'tool', content: '3', tool_call_id: 'abcDEF123', name: 'add' }
const parameters = { type: 'object', properties: { a: { type: 'number' } } }

let server: FakeProvider
beforeAll(async () => {
  server = await fakeProvider('mistral', () => 'fine')
})
afterAll(() => server.close())

type Answer = { status: number; body: Record<string, unknown> }

async function post(body: unknown, path = '/v1/chat/completions', key = 'Bearer test'): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { ...(key && { authorization: key }) }
  const response = await fetch(server.url + path, { method: 'POST', headers, body: text })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it.each<[string, object]>([
  ['a whole conversation', { messages: [system, user, calls, result, said, user] }],
  ['several messages of one role', { messages: [system, system, user, user, said, said, user] }],
  ['parallel results in any order', { messages: [user, parallel('aaaaaaaa1', 'aaaaaaaa2'), two('2'), two('1')] }],
  ['text beside calls', { messages: [user, { ...calls, content: 'I add.' }, result] }],
  ['a beginning of the answer', { messages: [user, { ...said, prefix: true }] }],
  ['arguments that are a value', { messages: [user, withCall({ function: { name: 'add', arguments: {} } }), result] }],
  ['thinking of an earlier turn', { messages: [user, { role: 'assistant', content: thoughts() }, user] }],
  ['images and documents', { messages: [{ role: 'user', content: imageAndDocument() }] }],
  ['tools', { tools: [tool()], tool_choice: 'any', parallel_tool_calls: false }],
  ['a named tool', { tools: [tool()], tool_choice: { type: 'function', function: { name: 'add' } } }],
  ['a schema', { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: parameters } } }],
  ['thinking options', { model: 'magistral-medium-latest', prompt_mode: 'reasoning', reasoning_effort: 'high' }],
])('accepts %s', async (_, change) => {
  expect(await post({ model: 'mistral-large-latest', messages: [user], ...change })).toMatchObject({ status: 200 })
})

it.each<[string, object, string, (string | number)[]]>([
  ['no model', { model: undefined }, 'missing', ['model']],
  ['no messages', { messages: undefined }, 'missing', ['messages']],
  ['messages that are not a list', { messages: 'Hello' }, 'list_type', ['messages']],
  ['an unknown field', { stream_options: {} }, 'extra_forbidden', ['stream_options']],
  ['a field of OpenAI', { max_completion_tokens: 9 }, 'extra_forbidden', ['max_completion_tokens']],
  ['an unknown role', { messages: [{ role: 'developer', content: '' }] }, 'union_tag_invalid', ['messages', 0]],
  ['no content', { messages: [{ role: 'user' }] }, 'missing', ['messages', 0, 'user', 'content']],
  [
    'a field that is not of the role',
    { messages: [{ ...user, name: 'Ann' }] },
    'extra_forbidden',
    ['messages', 0, 'user', 'name'],
  ],
  [
    'reasoning_content',
    { messages: [user, { ...said, reasoning_content: 'hm' }, user] },
    'extra_forbidden',
    ['messages', 1, 'assistant', 'reasoning_content'],
  ],
  [
    'an unknown chunk',
    { messages: [{ role: 'user', content: [{ type: 'file_url' }] }] },
    'union_tag_invalid',
    ['messages', 0, 'user', 'content', 0],
  ],
  [
    'a chunk without its content',
    { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    'missing',
    ['messages', 0, 'user', 'content', 0, 'text', 'text'],
  ],
  [
    'an image for the system',
    { messages: [{ role: 'system', content: imageAndDocument() }] },
    'union_tag_invalid',
    ['messages', 0, 'system', 'content', 0],
  ],
  [
    'a call without arguments',
    { messages: [user, withCall({ function: { name: 'add' } }), result] },
    'missing',
    ['messages', 1, 'assistant', 'tool_calls', 0, 'function', 'arguments'],
  ],
  [
    'a tool without a schema',
    { tools: [tool({ parameters: undefined })] },
    'missing',
    path('tools.0.function.parameters'),
  ],
  ['an unknown tool_choice', { tools: [tool()], tool_choice: 'always' }, 'literal_error', ['tool_choice']],
  ['an unknown effort', { reasoning_effort: 'max' }, 'literal_error', ['reasoning_effort']],
  ['an unknown format', { response_format: { type: 'xml' } }, 'literal_error', path('response_format.type')],
  [
    'a format without a schema',
    { response_format: { type: 'json_schema' } },
    'missing',
    path('response_format.json_schema'),
  ],
  ['a hot top_p', { top_p: 2 }, 'less_than_equal', ['top_p']],
  ['a temperature in words', { temperature: 'hot' }, 'float_type', ['temperature']],
  [
    'a chunk with a field of another',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: {} }] }] },
    'extra_forbidden',
    path('messages.0.user.content.0.text.cache_control'),
  ],
  [
    'an image with a field of another',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'a', size: 1 } }] }] },
    'extra_forbidden',
    path('messages.0.user.content.0.image_url.image_url.size'),
  ],
  [
    'an image without an address',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
    'missing',
    path('messages.0.user.content.0.image_url.image_url.url'),
  ],
  [
    'a call with a field of another',
    { messages: [withCall({ thought: 'hm' })] },
    'extra_forbidden',
    path('messages.0.assistant.tool_calls.0.thought'),
  ],
  [
    'a call without a name',
    { messages: [withCall({ function: { arguments: '{}' } })] },
    'missing',
    path('messages.0.assistant.tool_calls.0.function.name'),
  ],
  [
    'an index in words',
    { messages: [withCall({ index: 'one' })] },
    'int_type',
    path('messages.0.assistant.tool_calls.0.index'),
  ],
  [
    'a choice of no name',
    { tools: [tool()], tool_choice: { function: {} } },
    'string_type',
    path('tool_choice.function.name'),
  ],
  ['a format with a field of another', format({}, { name: 'answer' }), 'extra_forbidden', path('response_format.name')],
  [
    'a schema with a field of another',
    format({ size: 1 }),
    'extra_forbidden',
    path('response_format.json_schema.size'),
  ],
  ['a schema without a name', format({ name: undefined }), 'missing', path('response_format.json_schema.name')],
  ['a format that has no schema', format({ schema: undefined }), 'missing', path('response_format.json_schema.schema')],
  [
    'a tool with a field of another',
    { tools: [tool({ cache: 1 })] },
    'extra_forbidden',
    path('tools.0.function.cache'),
  ],
  ['a hot temperature', { temperature: 2 }, 'less_than_equal', ['temperature']],
  ['negative tokens', { max_tokens: -1 }, 'greater_than_equal', ['max_tokens']],
])('cannot read %s', async (_, change, type, loc) => {
  const answer = await post({ model: 'mistral-large-latest', messages: [user], ...change })
  expect(answer).toMatchObject({ status: 422, body: { detail: [{ type, loc: ['body', ...loc] }] } })
})

it.each<[string, object, string, string?]>([
  ['no conversation', { messages: [] }, 'Conversation must have at least one message', '3230'],
  ['a conversation that begins by itself', { messages: [said] }, 'must start with a user message', '3230'],
  ['the last word of the assistant', { messages: [user, said] }, 'Expected last role User or Tool', '3230'],
  ['the user after a tool', { messages: [user, calls, result, user] }, "Unexpected role 'user' after role 'tool'"],
  ['a tool after the user', { messages: [user, result] }, "Unexpected role 'tool' after role 'user'"],
  ['the system after the assistant', { messages: [user, said, system, user] }, "'system' after role 'assistant'"],
  ['a call without a result', { messages: [user, calls, user] }, 'Not the same number of function calls and responses'],
  ['a call that the assistant passes over', { messages: [user, calls, said, user] }, 'Not the same number of function'],
  [
    'a result with a long call id',
    { messages: [user, calls, { ...result, tool_call_id: 'call_12345' }] },
    'Tool call id was call_12345',
  ],
  ['a property that is none', { tools: [tool(property(1))] }, "is not of type 'object', 'boolean' (a)"],
  ['a property of no type', { tools: [tool(property({ type: 'thing' }))] }, 'Invalid tool schema: "thing"'],
  ['names that are not a list', { tools: [tool({ parameters: { required: 'a' } })] }, "is not of type 'array'"],
  ['a second result', { messages: [user, calls, result, result] }, 'Duplicate tool call id abcDEF123 in tool results'],
  ['a result of another call', { messages: [user, calls, two('1')] }, 'Unexpected tool call id aaaaaaaa1'],
  ['two calls of one id', { messages: [user, parallel('aaaaaaaa1', 'aaaaaaaa1'), two('1')] }, 'in assistant message'],
  ['an assistant that says nothing', { messages: [user, { role: 'assistant', content: '' }, user] }, 'but not none.'],
  ['a long call id', { messages: [user, withCall({ id: 'call_12345' }), result] }, 'was call_12345 but must be a-z'],
  [
    'a call id with a dash',
    { messages: [user, withCall({ id: 'abc-EF123' }), { ...result, tool_call_id: 'abc-EF123' }] },
    'Tool call id was abc-EF123 but must be a-z, A-Z, 0-9, with a length of 9.',
    '3280',
  ],
  [
    'the call id that the SDK makes up',
    { messages: [user, withCall({ id: 'null' }), { ...result, tool_call_id: 'null' }] },
    'Tool call id has to be defined',
  ],
  [
    'a result without a call id',
    { messages: [user, calls, { role: 'tool', content: '3' }] },
    'Tool call id has to be defined.',
  ],
  ['a name with a dot', { tools: [tool({ name: 'math.add' })] }, 'Function name was math.add but must be a-z'],
  ['a long name', { tools: [tool({ name: 'a'.repeat(65) })] }, 'with a maximum length of 64'],
  [
    'a call of a name with a dot',
    { messages: [user, withCall({ function: { name: 'math.add', arguments: '{}' } }), result] },
    'Function name was math.add',
  ],
  ['a schema that is none', { tools: [tool({ parameters: { type: 'thing' } })] }, 'Invalid tool schema'],
  [
    'an image for a model that sees nothing',
    { model: 'codestral-latest', messages: [{ role: 'user', content: imageAndDocument() }] },
    'Image input is not enabled for this model',
  ],
  ['a beginning that is not last', { messages: [user, { ...said, prefix: true }, user] }, 'must be last message'],
])('rejects %s', async (_, change, message, code) => {
  const answer = await post({ model: 'mistral-large-latest', messages: [user], ...change })
  expect(answer.body.message).toContain(message)
  expect(answer).toMatchObject({ status: 400, body: { object: 'error', param: null, ...(code && { code }) } })
})

it('requires a key', async () => {
  expect(await post({}, '/v1/chat/completions', '')).toEqual({ status: 401, body: { detail: 'Unauthorized' } })
})

it('has no other routes', async () => {
  const answer = await post({}, '/chat/completions')
  expect(answer).toMatchObject({ status: 404, body: { message: 'no Route matched with those values' } })
})

it.each<[object | string, number]>([
  ['a text', 400],
  [{ input: undefined, inputs: ['a'] }, 422],
  [{ input: [1] }, 422],
  [{ input: [] }, 400],
  [{ input: [''] }, 400],
  [{ input: ['a'.repeat(70_000)] }, 400],
  [{ input: ['京'.repeat(17_000)] }, 400],
  [{ input: Array(257).fill('a') }, 400],
])('rejects the embedding of %#', async (change, status) => {
  const body = typeof change === 'string' ? change : { model: 'mistral-embed', input: ['a'], ...change }
  const answer = await post(body, '/v1/embeddings')
  expect(answer.status).toBe(status)
})

function path(text: string): (string | number)[] {
  return text.split('.').map((step) => (step === '0' ? 0 : step))
}

function format(change: object, more: object = {}): object {
  const schema = { name: 'answer', schema: parameters, ...change }
  return { response_format: { type: 'json_schema', json_schema: schema, ...more } }
}

function tool(change: object = {}): object {
  return { type: 'function', function: { name: 'add', parameters, ...change } }
}

function property(schema: unknown): object {
  return { parameters: { type: 'object', properties: { a: schema } } }
}

function withCall(change: object): object {
  return { ...calls, tool_calls: [{ ...call, ...change }] }
}

function parallel(...ids: string[]): object {
  return { ...calls, tool_calls: ids.map((id, index) => ({ ...call, id, index })) }
}

function two(which: string): object {
  return { ...result, tool_call_id: `aaaaaaaa${which}` }
}

function thoughts(): object[] {
  return [
    { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], closed: true },
    { type: 'text', text: 'yes' },
  ]
}

function imageAndDocument(): object[] {
  return [
    { type: 'image_url', image_url: 'data:image/png;base64,AA==' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    { type: 'document_url', document_url: 'data:application/pdf;base64,AA==', document_name: 'a.pdf' },
  ]
}
