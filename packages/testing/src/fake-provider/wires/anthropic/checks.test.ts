import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeProvider, fakeProvider } from '../../fake-provider.ts'

const user = { role: 'user', content: 'Hello' }
const assistant = { role: 'assistant', content: 'Hi.' }
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'add', input: {} }
const call = { role: 'assistant', content: [toolUse] }
const toolResult = { type: 'tool_result', tool_use_id: 'toolu_1', content: '3' }
const result = { role: 'user', content: [toolResult] }
const inputSchema = { type: 'object', properties: { a: { type: 'number' } } }
const add = { name: 'add', input_schema: inputSchema }
const mark = { cache_control: { type: 'ephemeral' } }
const strictSchema = { ...inputSchema, additionalProperties: false }

let server: FakeProvider
beforeAll(async () => {
  server = await fakeProvider('anthropic', () => ({ reasoning: 'let me think', text: 'fine' }))
})
afterAll(() => server.close())

type Answer = { status: number; message: string; content: object[] }

async function post(body: unknown, version = '2023-06-01', betas?: string): Promise<Answer> {
  const headers = { 'x-api-key': 'sk-test', 'anthropic-version': version, ...(betas && { 'anthropic-beta': betas }) }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${server.url}/v1/messages`, { method: 'POST', headers, body: text })
  const answer = (await response.json()) as { error?: { message: string }; content?: object[] }
  return { status: response.status, message: answer.error?.message ?? '', content: answer.content ?? [] }
}

function request(change: object): object {
  return { model: 'claude-sonnet-4-5', max_tokens: 2000, messages: [user], ...change }
}

describe('accepts', () => {
  it.each<[string, object]>([
    ['a whole conversation', { system: 'Be brief.', messages: [user, call, result, assistant, user], tools: [add] }],
    ['messages of one role in a row', { messages: [user, user, assistant, assistant, user] }],
    ['parallel calls whose results share a message', { messages: [user, twoCalls(), twoResults()] }],
    ['results in messages in a row', { messages: [user, twoCalls(), result, { ...result, content: [second()] }] }],
    ['text after the results', { messages: [user, call, { role: 'user', content: [toolResult, text('So?')] }] }],
    ['an image and a document from a tool', { messages: [user, call, resultOf([image(), pdf()])] }],
    ['a result that says nothing', { messages: [user, call, resultOf('')] }],
    ['images and documents', { messages: [{ role: 'user', content: [image(), imageAt(), pdf(), plain()] }] }],
    ['a document in an assistant message', { messages: [user, { role: 'assistant', content: [plain()] }, user] }],
    ['what its own tools said', { messages: [user, saysBack(serverCall(), text('So.')), user] }],
    ['redacted thinking', { messages: [user, saysBack({ type: 'redacted_thinking', data: 'x' }), user] }],
    ['files that were sent before', { messages: [saysAll(fileOf('image'), fileOf('document'))] }],
    ['a failed call', { messages: [user, call, failed('No.')] }],
    ['sampling', { temperature: 0.5, top_k: 4 }],
    ['a beginning of the answer', { messages: [user, { role: 'assistant', content: 'The answer is' }] }],
    ['a system message in mid-conversation', { messages: [user, { role: 'system', content: 'Now in French.' }] }],
    ['a budget of thinking', { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['no thinking', { thinking: { type: 'disabled' }, tools: [add], tool_choice: { type: 'any' } }],
    ['a strict tool', { tools: [{ ...add, input_schema: strictSchema, strict: true }] }],
    ["a tool of the API's own", { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
    ['output in a schema', { output_config: outputOf({ ...strictSchema, $defs: { b: { type: 'null' } } }) }],
    ['four marks for the cache', { tools: [{ ...add, ...mark }], messages: [marked(3)] }],
    ['a mark named in the arguments of a call', { messages: [user, callOf({ input: markedFive() }), result] }],
    ['an unknown model', { model: 'my-own', thinking: { type: 'adaptive' }, temperature: 1 }],
  ])('%s', async (_, change) => {
    expect(await post(request(change))).toMatchObject({ status: 200, message: '' })
  })

  it('a new model with its own options: adaptive thinking, and effort', async () => {
    const change = { model: 'claude-opus-5-5', thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }
    expect(await post(request(change), '2026-10-21')).toMatchObject({ status: 200, message: '' })
    const lowest = { model: 'claude-sonnet-5-5', thinking: { type: 'between_tools' } }
    expect(await post(request(lowest), '2026-10-21')).toMatchObject({ status: 200, message: '' })
  })
})

describe('rejects', () => {
  it.each<[string, object | string, string]>([
    ['a body that is not JSON', '{"model":', 'not valid JSON'],
    ['no model', { model: undefined }, 'model: Field required'],
    ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['too many tokens', { max_tokens: 99_999 }, 'max_tokens: 99999 > 64000, which is the maximum allowed'],
    ['an unknown parameter', { warmth: 1 }, 'warmth: Extra inputs are not permitted'],
    ['no messages', { messages: undefined }, 'messages: Field required'],
    ['empty messages', { messages: [] }, 'messages: at least one message is required'],
    ['an unknown role', { messages: [{ role: 'robot', content: '' }] }, 'messages.0.role: Input should be'],
    ['a field of another API', { messages: [{ ...user, name: 'Ann' }] }, 'messages.0.name: Extra inputs'],
    ['an assistant who speaks first', { messages: [assistant, user] }, 'first message must use the "user" role'],
    ['empty content', { messages: [{ role: 'user', content: [] }] }, 'messages.0: all messages must have non-empty'],
    ['a blank text', { messages: [{ role: 'user', content: ' \n' }] }, 'must contain non-whitespace text'],
    ['an empty text', { messages: [{ role: 'user', content: [text('')] }] }, 'messages: text content blocks must be'],
    ['an empty text from a tool', { messages: [user, call, resultOf([text('')])] }, 'must be non-empty'],
    ['an empty system prompt', { system: [text('')] }, 'system: text content blocks must be non-empty'],
    ['an unknown block', { messages: [says({ type: 'input_text' })] }, "messages.0.content.0: Input tag 'input_text'"],
    ['a block without a type', { messages: [says({ text: 'a' })] }, 'Unable to extract tag'],
    ['a field that a block has not', { messages: [says({ ...text('a'), id: 1 })] }, 'content.0.text.id: Extra inputs'],
    ['a call by the user', { messages: [says(toolUse)] }, '`tool_use` blocks can only be in `assistant` messages'],
    ['a result by the assistant', { messages: [user, call, saysBack(toolResult)] }, 'can only be in `user` messages'],
    ['thinking by the user', { messages: [says(thinking('x'))] }, 'messages.0: `thinking` blocks can only be'],
    [
      'a call id with a dot',
      { messages: [user, callOf({ id: 'a.b' })] },
      "String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    ['a call id of 65 characters', { messages: [user, callOf({ id: 'c'.repeat(65) })] }, 'at most 64 characters'],
    ['a call of no name', { messages: [user, callOf({ name: undefined })] }, 'tool_use.name: Field required'],
    ['arguments in a text', { messages: [user, callOf({ input: '{}' })] }, 'input: Input should be a valid dictionary'],
    ['a call name with a dot', { messages: [user, callOf({ name: 'a.b' })] }, 'tool_use.name: String should match'],
    ['a call that lacks its arguments', { messages: [user, callOf({ input: undefined })] }, 'input: Field required'],
    [
      'a failure that is a word',
      { messages: [user, call, resultOf('', 'yes')] },
      'is_error: Input should be a valid bool',
    ],
    [
      'a call from a tool',
      { messages: [user, call, resultOf([toolUse])] },
      "tool_result.content.0: Input tag 'tool_use'",
    ],
    ['an image of the system', { system: [image()] }, "system.0.type: Input should be 'text'"],
    [
      'an image in a system message',
      { messages: [user, { role: 'system', content: [image()] }] },
      'only have `text` blocks',
    ],
    ['two calls with one id', { messages: [user, twoCalls('toolu_1'), result] }, '`tool_use` ids must be unique'],
    [
      'a call without a result',
      { messages: [user, call, user] },
      'without `tool_result` blocks immediately after: toolu_1',
    ],
    ['a call at the end', { messages: [user, call] }, 'messages.1: `tool_use` ids were found without'],
    ['one result for two calls', { messages: [user, twoCalls(), result] }, 'immediately after: toolu_2'],
    [
      'a result after text',
      { messages: [user, call, saysAll(text('So'), toolResult)] },
      'without `tool_result` blocks',
    ],
    ['text after a call', { messages: [user, saysBack(toolUse, text('so')), result] }, 'without `tool_result` blocks'],
    [
      'a result without a call',
      { messages: [user, assistant, result] },
      'messages.2.content.0: unexpected `tool_use_id`',
    ],
    [
      'a result that comes late',
      { messages: [user, call, result, assistant, result] },
      'messages.4.content.0: unexpected',
    ],
    [
      'a second result',
      { messages: [user, call, result, result] },
      'Found multiple `tool_result` blocks with id: toolu_1',
    ],
    ['an error that says nothing', { messages: [user, call, failed('')] }, 'content cannot be empty if `is_error`'],
    [
      'an error with an image',
      { messages: [user, call, failed([image()])] },
      'must be type `text` if `is_error` is true',
    ],
    ['an image of no known type', { messages: [says(image('image/bmp'))] }, "media_type: Input should be 'image/jpeg'"],
    ['an image as a data URL', { messages: [says(imageAt('data:image/png;base64,AA=='))] }, 'Only HTTPS URLs'],
    ['an image that is no base64', { messages: [says(image('image/png', '?'))] }, 'Invalid base64 data'],
    [
      'a document of no known type',
      { messages: [says(pdf('application/msword'))] },
      "Input should be 'application/pdf'",
    ],
    ['a source of another API', { messages: [says({ ...image(), source: { type: 'data' } })] }, "Input tag 'data'"],
    ['an image of nothing', { messages: [says(image('image/png', ''))] }, 'file cannot be empty'],
    ['a document of another API', { messages: [says({ ...pdf(), source: { type: 'data' } })] }, "Input tag 'data'"],
    ['a message without content', { messages: [{ role: 'user' }] }, 'messages.0.content: Field required'],
    ['blanks at the end of a beginning', { messages: [user, { ...assistant, content: 'So ' }] }, 'trailing whitespace'],
    [
      'a forged signature',
      { messages: [user, saysBack(thinking('x')), user] },
      'Invalid `signature` in `thinking` block',
    ],
    [
      'thinking without a signature',
      { messages: [user, saysBack(thinking()), user] },
      'thinking.signature: Field required',
    ],
    [
      'a mark on thinking',
      { messages: [user, saysBack({ ...thinking('x'), ...mark })] },
      'thinking.cache_control: Extra',
    ],
    ['an unknown way to think', { thinking: { type: 'deep' } }, 'thinking.type: Input should be'],
    [
      'a field that thinking has not',
      { thinking: { type: 'disabled', budget_tokens: 1 } },
      'thinking.disabled.budget_tokens',
    ],
    [
      'an unknown display',
      { thinking: { ...thinksOf(), display: 'all' } },
      'thinking.enabled.display: Input should be',
    ],
    [
      'a description that is not text',
      { tools: [{ ...add, description: 1 }] },
      'description: Input should be a valid string',
    ],
    ['tokens below nothing', { max_tokens: -1 }, 'greater than or equal to 0'],
    ['half a token', { max_tokens: 0.5 }, 'max_tokens: Input should be a valid integer'],
    ['an unknown effort', { output_config: { effort: 'huge' } }, 'output_config.effort: Input should be'],
    [
      'an unknown format',
      { output_config: { format: { type: 'json' } } },
      'output_config.format.type: Input should be',
    ],
    ['an unknown type of output', { output_config: outputOf(nested({ type: 'date' })) }, "Invalid schema type 'date'"],
    [
      'a choice with a field it has not',
      { tools: [add], tool_choice: { type: 'auto', name: 'add' } },
      'tool_choice.auto.name',
    ],
    [
      'a mark that lasts for a week',
      { cache_control: { type: 'ephemeral', ttl: '1w' } },
      "Input should be '5m' or '1h'",
    ],
    ['too small a budget', { thinking: { type: 'enabled', budget_tokens: 9 } }, 'greater than or equal to 1024'],
    ['too large a budget', { thinking: { type: 'enabled', budget_tokens: 2000 } }, '`max_tokens` must be greater than'],
    ['thinking by itself of an old model', { thinking: { type: 'adaptive' } }, 'adaptive thinking is not supported'],
    ['sampling with thinking', { ...thinks(), temperature: 0 }, '`temperature` may only be set to 1'],
    ['too high a temperature', { temperature: 1.5 }, 'temperature: range: 0..1'],
    ['two kinds of sampling', { temperature: 0.5, top_p: 0.5 }, 'cannot both be specified'],
    ['a call without its thinking', { ...thinks(), messages: [user, call, result] }, 'Expected `thinking` or'],
    [
      'a tool name with a dot',
      { tools: [{ ...add, name: 'a.b' }] },
      'tools.0.custom.name: String should match pattern',
    ],
    ['a tool without a schema', { tools: [{ name: 'add' }] }, 'tools.0.custom.input_schema: Field required'],
    ['a schema of no object', { tools: [toolOf({ type: 'string' })] }, "input_schema.type: Input should be 'object'"],
    [
      'a choice of schemas',
      { tools: [toolOf({ type: 'object', anyOf: [] })] },
      'does not support oneOf, allOf, or anyOf',
    ],
    [
      'a property name with a blank',
      { tools: [toolOf({ type: 'object', properties: { 'a b': {} } })] },
      'Property keys',
    ],
    ['a tool of another API', { tools: [{ type: 'function', function: add }] }, "tools.0: Input tag 'function'"],
    ['a field that a tool has not', { tools: [{ ...add, parameters: {} }] }, 'tools.0.custom.parameters: Extra inputs'],
    ['two tools of one name', { tools: [add, add] }, 'tools: Tool names must be unique.'],
    [
      'an open strict tool',
      { tools: [{ ...add, strict: true }] },
      "'additionalProperties' must be explicitly set to false",
    ],
    ['a choice without tools', { tool_choice: { type: 'auto' } }, 'may only be specified while providing `tools`'],
    [
      'a choice of another API',
      { tools: [add], tool_choice: { type: 'required' } },
      'tool_choice.type: Input should be',
    ],
    [
      'the choice of a tool that is not there',
      { tools: [add], tool_choice: { type: 'tool', name: 'b' } },
      "Tool 'b' not",
    ],
    ['a forced tool with thinking', { ...thinks(), tools: [add], tool_choice: { type: 'any' } }, 'forces tool use'],
    ['five marks for the cache', { system: [{ ...text('s'), ...mark }], messages: [marked(4)] }, 'Found 5'],
    [
      'a long mark after a short one',
      { messages: [longAfterShort()] },
      "ttl='1h' cache_control block must not come after",
    ],
    [
      'an unknown mark',
      { messages: [says({ ...text('a'), cache_control: { type: 'x' } })] },
      "Input should be 'ephemeral'",
    ],
    ['effort of an old model', { output_config: { effort: 'low' } }, 'does not support the effort parameter'],
    ['open output', { output_config: outputOf(inputSchema) }, "'additionalProperties' must be explicitly set to false"],
    ['open output inside', { output_config: outputOf(nested(inputSchema)) }, "'additionalProperties' must be"],
    [
      'output with bounds',
      { output_config: outputOf(nested({ type: 'number', minimum: 1 })) },
      "'minimum' is not supported",
    ],
    ['output with a choice of one', { output_config: outputOf(nested({ oneOf: [] })) }, 'Schema must have a type'],
    ['output of many items', { output_config: outputOf(nested({ type: 'array', minItems: 2 })) }, 'other than 0 or 1'],
    [
      'output of a strange format',
      { output_config: outputOf(nested({ type: 'string', format: 'x' })) },
      "'format' value",
    ],
    ['a blank stop', { stop_sequences: [' '] }, 'each stop sequence must contain non-whitespace'],
  ])('%s', async (_, change, message) => {
    const answer = await post(typeof change === 'string' ? change : request(change))
    expect(answer.message).toContain(message)
    expect(answer.status).toBe(400)
  })

  it.each<[string, object, string]>([
    ['sampling', { temperature: 1 }, 'temperature: Extra inputs are not permitted'],
    ['a document of the assistant', { messages: [user, saysBack(plain()), user] }, 'not permitted in `assistant`'],
    ['what the user quotes', { messages: [says({ ...text('a'), citations: [{}] })] }, '`citations` are not permitted'],
  ])('in its newer version %s', async (_, change, message) => {
    const answer = await post(request(change), '2026-10-21')
    expect(answer.message).toContain(message)
    expect(answer.status).toBe(400)
  })

  it.each<[string, object, string]>([
    ['a beginning of the answer', { messages: [user, assistant] }, 'does not support assistant message prefill'],
    ['a budget of thinking', thinks(), '"thinking.type.enabled" is not supported for this model'],
    ['no thinking', { thinking: { type: 'disabled' } }, '"thinking.type.disabled" is not supported for this model'],
    [
      'a forced tool',
      { tools: [add], tool_choice: { type: 'tool', name: 'add' } },
      'type "tool" and "any" are not supported',
    ],
    ['sampling', { top_p: 0.5 }, '`top_p` is deprecated for this model'],
  ])('of a new model %s', async (_, change, message) => {
    const answer = await post(request({ model: 'claude-opus-5-5', ...change }))
    expect(answer.message).toContain(message)
    expect(answer.status).toBe(400)
  })
})

it('accepts thinking as it returned it, and only so', async () => {
  const { content } = await post(request({}))
  const goOn = (blocks: object[]): Promise<Answer> => post(request({ messages: [user, saysBack(...blocks), user] }))
  expect(await goOn(content)).toMatchObject({ status: 200 })
  const [thought, ...rest] = content
  const edited = await goOn([{ ...thought, thinking: 'let me not think' }, ...rest])
  expect(edited.message).toBe('messages.1.content.0: Invalid `signature` in `thinking` block')
  const inLoop = [user, saysBack(thought as object, toolUse), result]
  expect(await post(request({ ...thinks(), messages: inLoop }))).toMatchObject({ status: 200 })
})

it('accepts the fields of a beta only with its header', async () => {
  const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } }
  const body = request({ model: 'claude-opus-5-5', thinking })
  expect((await post(body)).message).toBe('thinking.adaptive.block_binding: Extra inputs are not permitted')
  const beta = 'other, thinking-binding-controls-2026-08-01'
  expect(await post(body, '2026-10-21', beta)).toMatchObject({ status: 200 })
  const off = request({ model: 'claude-haiku-5-5', thinking: { ...thinking, type: 'disabled' } })
  const refused = 'thinking.disabled.block_binding: Extra inputs are not permitted'
  expect((await post(off, '2026-10-21', beta)).message).toBe(refused)
})

function text(said: string): object {
  return { type: 'text', text: said }
}

function thinking(signature?: string): object {
  return { type: 'thinking', thinking: 'hm', signature }
}

function thinksOf(): object {
  return { type: 'enabled', budget_tokens: 1024 }
}

function thinks(): object {
  return { thinking: thinksOf() }
}

function serverCall(): object {
  return { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
}

function fileOf(type: string): object {
  return { type, source: { type: 'file', file_id: 'file_1' } }
}

function says(block: object): object {
  return { role: 'user', content: [block] }
}

function saysAll(...blocks: object[]): object {
  return { role: 'user', content: blocks }
}

function saysBack(...blocks: object[]): object {
  return { role: 'assistant', content: blocks }
}

function callOf(change: object): object {
  return saysBack({ ...toolUse, ...change })
}

function twoCalls(id = 'toolu_2'): object {
  return saysBack(toolUse, { ...toolUse, id })
}

function second(): object {
  return { ...toolResult, tool_use_id: 'toolu_2' }
}

function twoResults(): object {
  return saysAll(second(), toolResult)
}

function resultOf(content: unknown, isError?: unknown): object {
  return saysAll({ ...toolResult, content, is_error: isError })
}

function failed(content: unknown): object {
  return resultOf(content, true)
}

function image(mediaType = 'image/png', data = 'AAAA'): object {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
}

function imageAt(url = 'https://example.com/a.png'): object {
  return { type: 'image', source: { type: 'url', url } }
}

function pdf(mediaType = 'application/pdf'): object {
  return { type: 'document', source: { type: 'base64', media_type: mediaType, data: 'AAAA' } }
}

function plain(): object {
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A' }, title: 'a.txt' }
}

function toolOf(schema: object): object {
  return { name: 'add', input_schema: schema }
}

function marked(count: number): object {
  return saysAll(...Array.from({ length: count }, () => ({ ...text('a'), ...mark })))
}

function markedFive(): object {
  return { content: Array.from({ length: 5 }, () => mark) }
}

function longAfterShort(): object {
  return saysAll({ ...text('a'), ...mark }, { ...text('b'), cache_control: { type: 'ephemeral', ttl: '1h' } })
}

function outputOf(schema: object): object {
  return { format: { type: 'json_schema', schema } }
}

function nested(schema: object): object {
  return { ...strictSchema, properties: { list: { type: 'array', items: schema } } }
}
