import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeProvider, fakeProvider } from '../../fake-provider.ts'

const user = { role: 'user', content: 'Hello' }
const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }
const callMessage = { role: 'assistant', content: null, tool_calls: [call] }
const result = { role: 'tool', tool_call_id: 'call_1', content: '3' }
const functionCall = { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{}' }
const functionOutput = { type: 'function_call_output', call_id: 'call_1', output: '3' }
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }
const parameters = { type: 'object', properties: { a: { type: 'number' } } }
const strictParameters = { ...parameters, required: ['a'], additionalProperties: false }

function chatTool(change: object = {}): object {
  return { type: 'function', function: { name: 'add', parameters, ...change } }
}

let server: FakeProvider
beforeAll(async () => {
  server = await fakeProvider('openai-chat', () => 'fine')
})
afterAll(() => server.close())

async function post(
  path: string,
  body: unknown,
  headers: object = { authorization: 'Bearer sk-test' },
): Promise<{ status: number; message: string }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(server.url + path, { method: 'POST', headers: { ...headers }, body: text })
  const answer = (await response.json()) as { error?: { message: string } | null }
  return { status: response.status, message: answer.error?.message ?? '' }
}

describe('chat completions', () => {
  it.each<[string, object]>([
    ['a whole conversation', { messages: [{ role: 'system', content: 's' }, user, callMessage, result, user] }],
    ['parallel results in any order', { messages: [user, parallel('call_1', 'call_2'), second('call_2'), result] }],
    ['images and files', { messages: [{ role: 'user', content: imageAndFile() }] }],
    ['tools without strict', { tools: [chatTool()], tool_choice: 'auto', parallel_tool_calls: false }],
    ['a strict tool', { tools: [chatTool({ parameters: strictParameters, strict: true })] }],
  ])('takes %s', async (_, change) => {
    expect(await post('/chat/completions', { model: 'gpt-4.1', messages: [user], ...change })).toEqual({
      status: 200,
      message: '',
    })
  })

  it.each<[string, object | string, string]>([
    ['a body that is not JSON', '{"model":', 'could not parse the JSON body'],
    ['no model', { model: undefined }, 'you must provide a model parameter'],
    ['no messages', { messages: undefined }, "Missing required parameter: 'messages'"],
    ['empty messages', { messages: [] }, "Invalid 'messages': empty array"],
    ['an unknown parameter', { warmth: 1 }, "Unknown parameter: 'warmth'"],
    ['an unknown role', { messages: [{ role: 'robot', content: '' }] }, "Invalid value: 'robot'"],
    ['a message without content', { messages: [{ role: 'user' }] }, "Invalid value for 'content'"],
    ['an unknown part', { messages: [{ role: 'user', content: [{ type: 'input_text' }] }] }, "'input_text'"],
    ['an image from a tool', { messages: [user, callMessage, { ...result, content: imageAndFile() }] }, "'image_url'"],
    ['an assistant that says nothing', { messages: [user, { role: 'assistant', content: null }] }, "'content'"],
    ['an empty list of calls', { messages: [{ role: 'assistant', content: 'a', tool_calls: [] }] }, 'empty array'],
    ['a call without arguments', { messages: [user, badCall({ function: { name: 'add' } }), result] }, 'arguments'],
    ['a call id of 41 characters', { messages: [user, badCall({ id: 'c'.repeat(41) })] }, 'string too long'],
    ['a result without a call id', { messages: [user, callMessage, { role: 'tool', content: '' }] }, 'tool_call_id'],
    ['a result without a call', { messages: [user, result] }, 'must be a response to a preceeding message'],
    ['a second result', { messages: [user, callMessage, result, result] }, 'must be a response to a preceeding'],
    ['a call without a result', { messages: [user, callMessage, user] }, 'did not have response messages: call_1'],
    ['a call at the end', { messages: [user, callMessage] }, 'did not have response messages: call_1'],
    ['two calls with one id', { messages: [user, parallel('call_1', 'call_1'), result] }, 'Duplicate value'],
    ['an empty list of tools', { tools: [] }, "[] is too short - 'tools'"],
    ['two tools of one name', { tools: [chatTool(), chatTool()] }, "two functions are named 'add'"],
    ['a tool without a name', { tools: [chatTool({ name: undefined })] }, "'tools[0].function.name'"],
    ['a tool name with a dot', { tools: [chatTool({ name: 'math.add' })] }, 'does not match pattern'],
    ['a tool name of 65 characters', { tools: [chatTool({ name: 'a'.repeat(65) })] }, 'does not match pattern'],
    ['a schema of no object', { tools: [chatTool({ parameters: { type: 'string' } })] }, 'type: "object"'],
    ['a strict tool that is open', { tools: [chatTool({ strict: true })] }, "'additionalProperties' is required"],
    ['a strict tool with an optional key', { tools: [chatTool(strictOptional())] }, "Missing 'a'"],
    [
      'a list without items',
      { tools: [chatTool({ parameters: { type: 'object', properties: { a: { type: 'array' } } } })] },
      "Invalid schema for function 'add': In context=('properties', 'a'), array schema missing items.",
    ],
    [
      'a strict tool with an open item',
      { tools: [chatTool(strictNested())] },
      "In context=('properties', 'list', 'items')",
    ],
    ['tool_choice without tools', { tool_choice: 'auto' }, "only allowed when 'tools' are specified"],
    ['parallel_tool_calls without tools', { parallel_tool_calls: true }, "only allowed when 'tools' are specified"],
    ['stream_options without stream', { stream_options: { include_usage: true } }, "when 'stream' is enabled"],
    ['max_tokens for a reasoning model', { model: 'o4-mini', max_tokens: 9 }, "Use 'max_completion_tokens' instead"],
    ['temperature for a reasoning model', { model: 'gpt-5.2', temperature: 0 }, "'temperature' is not supported"],
    ['stop for a reasoning model', { model: 'o3', stop: ['END'] }, "'stop' is not supported"],
    ['an open strict output', { response_format: outputFormat() }, "Invalid schema for response_format 'answer'"],
  ])('refuses %s', async (_, change, message) => {
    const body = typeof change === 'string' ? change : { model: 'gpt-4.1', messages: [user], ...change }
    const answer = await post('/chat/completions', body)
    expect(answer.message).toContain(message)
    expect(answer.status).toBe(400)
  })
})

describe('responses', () => {
  it.each<[string, object]>([
    ['a text', { input: 'Hello' }],
    ['calls and outputs', { input: [user, functionCall, functionOutput] }],
    ['encrypted reasoning before its call', { input: [user, encrypted(), functionCall, functionOutput], store: false }],
    ['stored reasoning', { input: [user, reasoning, { role: 'assistant', content: 'Hi' }, user] }],
    ['images from a tool', { input: [functionCall, { ...functionOutput, output: [inputImage()] }] }],
    ['an output of a stored call', { input: [functionOutput], previous_response_id: 'resp_1' }],
    ['a tool', { tools: [{ type: 'function', name: 'add', parameters }] }],
  ])('takes %s', async (_, change) => {
    expect(await post('/responses', { model: 'gpt-5.2', input: [user], ...change })).toEqual({
      status: 200,
      message: '',
    })
  })

  it.each<[string, object, string, number?]>([
    ['no model', { model: undefined }, "Missing required parameter: 'model'"],
    ['no input', { input: undefined }, "Missing required parameter: 'input'"],
    ['an unknown parameter', { messages: [] }, "Unknown parameter: 'messages'"],
    ['an unknown item', { input: [{ type: 'thought' }] }, "Invalid value: 'thought'"],
    ['an unknown role', { input: [{ role: 'tool', content: '' }] }, "Invalid value: 'tool'"],
    [
      'a part of the other side',
      { input: [{ role: 'assistant', content: [{ type: 'input_text' }] }] },
      "'output_text'",
    ],
    ['a part of the other wire', { input: [{ role: 'user', content: [{ type: 'text' }] }] }, "Invalid value: 'text'"],
    ['an output without a call', { input: [functionOutput] }, 'No tool call found for function call output'],
    ['an output before its call', { input: [functionOutput, functionCall] }, 'No tool call found'],
    ['a call without an output', { input: [user, functionCall] }, 'No tool output found for function call call_1'],
    ['arguments that are not text', { input: [{ ...functionCall, arguments: {} }] }, 'expected a string'],
    ['a call id of 65 characters', { input: [{ ...functionCall, call_id: 'c'.repeat(65) }] }, 'string too long'],
    ['an id of another kind', { input: [{ ...functionCall, id: 'call_1' }] }, "begins with 'fc'"],
    ['reasoning at the end', { input: [user, encrypted()] }, 'without its required following item'],
    ['reasoning before the user', { input: [encrypted(), user] }, 'without its required following item'],
    ['reasoning that was not stored', { input: [user, reasoning, functionCall], store: false }, 'not found', 404],
    ['two tools of one name', { tools: [flatTool(), flatTool()] }, "two functions are named 'add'"],
    ['a tool of the other wire', { tools: [chatTool()] }, "Missing required parameter: 'tools[0].name'"],
    ['too few output tokens', { max_output_tokens: 1 }, 'Expected a value >= 16'],
    ['temperature for a reasoning model', { temperature: 0 }, "'temperature' is not supported"],
    ['an open strict output', { text: { format: outputFormat().json_schema } }, 'Invalid schema for response_format'],
  ])('refuses %s', async (_, change, message, status = 400) => {
    const answer = await post('/responses', { model: 'gpt-5.2', input: [user], ...change })
    expect(answer.message).toContain(message)
    expect(answer.status).toBe(status)
  })
})

it.each(['/chat/completions', '/responses', '/embeddings'])('asks for a key at %s', async (path) => {
  expect(await post(path, {}, {})).toMatchObject({ status: 401 })
})

it.each([{ input: [] }, { input: [''] }, { input: [1] }, { input: 'a', encoding_format: 'hex' }, { input: undefined }])(
  'refuses to embed %j',
  async (change) => {
    expect(await post('/embeddings', { model: 'text-embedding-3-small', ...change })).toMatchObject({ status: 400 })
  },
)

function parallel(...ids: string[]): object {
  return { ...callMessage, tool_calls: ids.map((id) => ({ ...call, id })) }
}

function second(id: string): object {
  return { ...result, tool_call_id: id }
}

function badCall(change: object): object {
  return { ...callMessage, tool_calls: [{ ...call, ...change }] }
}

function imageAndFile(): object[] {
  return [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
  ]
}

function inputImage(): object {
  return { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
}

function encrypted(): object {
  return { ...reasoning, encrypted_content: 'AA==' }
}

function flatTool(): object {
  return { type: 'function', name: 'add', parameters }
}

function strictOptional(): object {
  return { strict: true, parameters: { ...strictParameters, required: [] } }
}

function strictNested(): object {
  const list = { type: 'array', items: { type: 'object', properties: {} } }
  return { strict: true, parameters: { ...strictParameters, properties: { list }, required: ['list'] } }
}

function outputFormat(): { type: string; json_schema: object } {
  // Both wires name the parts of a format alike, but nest them otherwise.
  return { type: 'json_schema', json_schema: { type: 'json_schema', name: 'answer', schema: parameters, strict: true } }
}
