import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeProvider, fakeProvider } from '../../fake-provider.ts'

const user = { role: 'user', parts: [{ text: 'Hello' }] }
const said = { role: 'model', parts: [{ text: 'Hi.' }] }
const functionCall = { name: 'add', args: { a: 1 } }
const call = { role: 'model', parts: [{ functionCall }] }
const functionResponse = { name: 'add', response: { output: 3 } }
const response = { role: 'user', parts: [{ functionResponse }] }
const jsonSchema = { type: 'object', properties: { a: { type: 'number' } } }
const skipped = 'skip_thought_signature_validator'

let server: FakeProvider
beforeAll(async () => {
  server = await fakeProvider('gemini', () => ({ toolCalls: [{ name: 'add' }, { name: 'now' }] }))
})
afterAll(() => server.close())

type Answer = { status: number; message: string; parts: object[] }

async function post(body: unknown, model = 'gemini-2.5-flash', method = 'generateContent'): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const url = `${server.url}/v1beta/models/${model}:${method}`
  const answer = await fetch(url, { method: 'POST', headers: { 'x-goog-api-key': 'key' }, body: text })
  const json = (await answer.json()) as {
    error?: { message: string }
    candidates?: { content: { parts: object[] } }[]
  }
  return {
    status: answer.status,
    message: json.error?.message ?? '',
    parts: json.candidates?.[0]?.content.parts ?? [],
  }
}

function request(change: object): object {
  return { contents: [user], ...change }
}

describe('accepts', () => {
  it.each<[string, object, string?]>([
    ['a whole conversation', { systemInstruction: user, contents: [user, call, response, said, user], ...tool() }],
    ['a content without a role', { contents: [{ parts: [{ text: 'a' }] }] }],
    ['names in snake_case', { system_instruction: user, generation_config: { max_output_tokens: 5 } }],
    ['null as nothing', { tools: null, generationConfig: { temperature: null } }],
    ['turns of one role in a row', { contents: [user, user, said, said] }],
    ['a response of a function', { contents: [user, call, { ...response, role: 'function' }] }],
    ['one thing in place of a list of one', { contents: user }],
    ['numbers in texts', tool(own({ minProperties: '1' }))],
    ['schemas to choose from', tool(own(propertyA({ anyOf: [{ type: 'STRING' }, { type: 'NULL' }] })))],
    ['parallel calls', { contents: [user, model2(functionCall), user2(functionResponse)] }],
    ['images and files', { contents: [{ role: 'user', parts: [media(), media('application/pdf'), file()] }] }],
    ['a signed part that says nothing', { contents: [user, { role: 'model', parts: [signedNothing()] }, user] }],
    ['a function of no arguments', { ...tool({ name: 'now' }) }],
    ['a function name with a dot and a colon', tool({ name: 'math.v1:add' })],
    ['a schema of its own dialect', tool({ name: 'add', parameters: ownSchema() })],
    ['a forced function', { ...tool(), ...choice({ mode: 'ANY', allowedFunctionNames: ['add'] }) }],
    ['output in a schema', output({ responseJsonSchema: { ...jsonSchema, $defs: {}, additionalProperties: false } })],
    ['output in a schema with functions, of a new model', { ...output(), ...tool() }, 'gemini-3-pro-preview'],
    ['a budget of thinking', thinking({ thinkingBudget: 1024, includeThoughts: true })],
    ['no thinking', thinking({ thinkingBudget: 0 })],
    ['a level of thinking of a new model', thinking({ thinkingLevel: 'low' }), 'gemini-3-pro-preview'],
    ['an image from a function of a new model', withSignature({ parts: [media()] }), 'gemini-3-pro-preview'],
    ['calls of earlier turns unsigned', { contents: [user, call, response, said, user] }, 'gemini-3-pro-preview'],
  ])('%s', async (_, change, model) => {
    expect(await post(request(change), model)).toMatchObject({ status: 200, message: '' })
  })
})

describe('rejects', () => {
  it.each<[string, object | string, string, string?]>([
    ['a body that is not JSON', '{"contents":', 'Invalid JSON payload received'],
    [
      'a part in place of parts',
      { contents: [{ role: 'user', parts: 'Hello' }] },
      `Invalid value at 'contents[0].parts[0]'`,
    ],
    ['a number that is none', config({ seed: 'x' }), "Invalid value at 'generation_config.seed' (TYPE_INT32)"],
    ['a truth that is none', thinking({ includeThoughts: 'yes' }), "include_thoughts' (TYPE_BOOL)"],
    ['a temperature in words', config({ temperature: '0.5' }), "temperature' (TYPE_FLOAT)"],
    [
      'a call name with a blank',
      contentOf({ functionCall: { name: 'a b' } }),
      'function_call.name: Invalid function name',
    ],
    ['no contents', { contents: [] }, 'contents is not specified'],
    ['an unknown parameter', { messages: [] }, 'Unknown name "messages": Cannot find field.'],
    [
      'an unknown part',
      contentOf({ image: 'x' }),
      `Unknown name "image" at 'contents[0].parts[0]': Cannot find field.`,
    ],
    ['an unknown role', { contents: [{ role: 'assistant', parts: user.parts }] }, 'use a valid role: user, model.'],
    [
      'a content without parts',
      { contents: [{ role: 'user', parts: [] }] },
      'contents[0].parts: contents.parts must not',
    ],
    ['an empty text', contentOf({ text: '' }), "contents[0].parts[0].data: required oneof field 'data' must have"],
    ['an empty part', contentOf({}), "required oneof field 'data' must have one initialized field"],
    ['an empty system prompt', { systemInstruction: { parts: [{ text: '' }] } }, 'system_instruction.parts[0].data'],
    ['a part that is two things', contentOf({ text: 'a', functionCall }), "oneof field 'data' is already set"],
    ['a text that is none', contentOf({ text: 5 }), "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5"],
    ['media of no known type', contentOf(media('application/msword')), 'Unsupported MIME type: application/msword'],
    ['media that is no base64', contentOf(media('image/png', '?')), 'inline_data.data\' (TYPE_BYTES), "?"'],
    ['media without data', contentOf(media('image/png', '')), 'inline_data.data: data must not be empty'],
    ['media of no type', contentOf({ inlineData: { data: 'AAAA' } }), 'Unsupported MIME type: '],
    ['a file without an address', contentOf({ fileData: {} }), 'file_uri must not be empty'],
    [
      'a call that comes first',
      { contents: [call, response] },
      'immediately after a user turn or after a function response',
    ],
    ['a call after what the model said', { contents: [user, said, call, response] }, 'immediately after a user turn'],
    ['a call without a response', { contents: [user, call, user] }, 'number of function response parts is equal to'],
    ['a call at the end', { contents: [user, call] }, 'number of function response parts is equal to'],
    [
      'one response for two calls',
      { contents: [user, model2(functionCall), response] },
      'number of function response parts',
    ],
    [
      'text beside a response',
      { contents: [user, call, { ...response, parts: [...response.parts, user.parts[0]] }] },
      'number',
    ],
    ['a response without a call', { contents: [user, said, response] }, 'immediately after a function call turn'],
    [
      'a response of the model',
      { contents: [user, call, { ...response, role: 'model' }] },
      'immediately after a function call',
    ],
    [
      'a response in a text',
      contentOf({ functionResponse: { name: 'a', response: 'x' } }),
      'google.protobuf.Struct), "x"',
    ],
    ['a response without a name', withResponse({ name: '' }), 'function_response.name: Name cannot be empty'],
    ['a response of nothing', withResponse({ response: undefined }), 'response must be set'],
    ['an image from a function of an old model', withResponse({ parts: [media()] }), 'multimodal function responses'],
    [
      'an unsigned call of a new model',
      { contents: [user, call, response] },
      'missing a thought_signature',
      'gemini-3-pro',
    ],
    ['a forged signature', { contents: [user, signed('AAAA'), response] }, 'Corrupted thought signature.'],
    [
      'a signature that is no base64',
      { contents: [user, signed('?'), response] },
      'thought_signature\' (TYPE_BYTES), "?"',
    ],
    ['a function name with a blank', tool({ name: 'a b' }), 'function_declarations[0].name: Invalid function name'],
    ['a function name of 129 characters', tool({ name: 'a'.repeat(129) }), 'Invalid function name'],
    [
      'two functions of one name',
      { tools: [...tool().tools, ...tool().tools] },
      'Duplicate function declaration found: add',
    ],
    [
      'a field of another API',
      tool({ name: 'add', input_schema: {} }),
      'Unknown name "input_schema" at \'tools[0].function',
    ],
    [
      'JSON Schema in its own dialect',
      tool(own({ $schema: 'x' })),
      `Unknown name "$schema" at 'tools[0].function_declarations[0].parameters'`,
    ],
    [
      'a const in its own dialect',
      tool(own(propertyA({ const: 1 }))),
      "parameters.properties[0].value': Cannot find field.",
    ],
    [
      'an object of nothing',
      tool(own({ properties: {} })),
      'parameters.properties: should be non-empty for OBJECT type',
    ],
    [
      'numbers to choose from',
      tool(own(propertyA({ type: 'INTEGER', enum: ['1'] }))),
      'enum: only allowed for STRING type',
    ],
    ['a list of nothing', tool(own(propertyA({ type: 'ARRAY' }))), 'parameters.properties[a].items: missing field'],
    ['a strange format', tool(own(propertyA({ type: 'STRING', format: 'email' }))), "only 'enum' and 'date-time' are"],
    ['an unknown type', tool(own(propertyA({ type: 'DATE' }))), 'unknown schema type DATE'],
    [
      'an inner list of nothing',
      tool(own(propertyA({ type: 'ARRAY', items: { type: 'ARRAY' } }))),
      '[a].items.items: missing',
    ],
    ['a choice of nothing', tool(own(propertyA({ anyOf: [{}] }))), 'properties[a].any_of[0].type: must be specified'],
    [
      'a schema of no object',
      tool(own({ type: 'STRING', properties: undefined })),
      'parameters: schema type should be OBJECT',
    ],
    [
      'a schema of an answer that is none',
      output({ responseJsonSchema: undefined, responseSchema: { type: 'ARRAY' } }),
      'response_schema.items',
    ],
    ['a required property that is not there', tool(own({ required: ['b'] })), 'required[0]: property is not defined'],
    ['a property of no type', tool(own(propertyA({}))), 'properties[a].type: must be specified'],
    ['arguments that are no object', tool({ name: 'a', parametersJsonSchema: { type: 'string' } }), 'should be OBJECT'],
    [
      'two schemas of one function',
      tool({ ...own({}), parametersJsonSchema: jsonSchema }),
      'only one of parameters and',
    ],
    [
      'a choice without functions',
      choice({ mode: 'AUTO' }),
      'Function calling config is set without function_declarations',
    ],
    ['an unknown mode', { ...tool(), ...choice({ mode: 'required' }) }, 'FunctionCallingConfig.Mode), "required"'],
    [
      'a choice that is no choice',
      { ...tool(), ...choice({ mode: 'AUTO', allowedFunctionNames: ['add'] }) },
      'ANY or VALIDATED',
    ],
    [
      'a choice of what is not there',
      { ...tool(), ...choice({ mode: 'ANY', allowedFunctionNames: ['b'] }) },
      '`b` is not among',
    ],
    [
      'output in a schema with functions',
      { ...output(), ...tool() },
      "Function calling with a response mime type: 'appl",
    ],
    ['a schema of plain text', output({ responseMimeType: 'text/plain' }), 'response_json_schema: only allowed when'],
    ['two schemas of one answer', output({ responseSchema: ownSchema() }), 'only one of response_schema and'],
    ['output of a strange type', output({ responseMimeType: 'image/png' }), 'allowed mimetypes are `text/plain`'],
    ['too high a temperature', config({ temperature: 3 }), 'temperature must be in the range [0.0, 2.0]'],
    ['no tokens', config({ maxOutputTokens: 0 }), 'max_output_tokens must be positive'],
    ['a penalty', config({ presencePenalty: 1 }), 'Penalty is not enabled for this model'],
    ['six stops', config({ stopSequences: [...'abcdef'] }), 'must not exceed 5'],
    ['a level of thinking of an old model', thinking({ thinkingLevel: 'LOW' }), 'Thinking level is not supported'],
    [
      'a level and a budget',
      thinking({ thinkingLevel: 'LOW', thinkingBudget: 9 }),
      'You can only set only one',
      'gemini-3-pro',
    ],
    [
      'a level that is not there',
      thinking({ thinkingLevel: 'MINIMAL' }),
      'Thinking level MINIMAL is not',
      'gemini-3-pro',
    ],
    ['no thinking of a model that must', thinking({ thinkingBudget: 0 }), 'Budget 0 is invalid', 'gemini-2.5-pro'],
    ['too large a budget', thinking({ thinkingBudget: 99_999 }), 'choose a value between 1 and 24576'],
    [
      'thinking of a model that cannot',
      thinking({ thinkingBudget: 9 }),
      'thinking is not supported',
      'gemini-2.0-flash',
    ],
  ])('%s', async (_, change, message, model) => {
    const answer = await post(typeof change === 'string' ? change : request(change), model)
    expect(answer.message).toContain(message)
    expect(answer.status).toBe(400)
  })

  it('many faults at once, and lists each', async () => {
    const { message } = await post(request({ messages: [], max_tokens: 1 }))
    expect(message.match(/Unknown name/g)).toHaveLength(2)
  })

  it.each<[string, object | string, string, string]>([
    ['what is not JSON', '{"requests":', 'batchEmbedContents', 'Invalid JSON payload'],
    ['no texts', { requests: [] }, 'batchEmbedContents', 'requests is not specified'],
    ['another model', { requests: [embedRequest('models/other')] }, 'batchEmbedContents', 'must be models/gemini-e'],
    ['an empty text', { requests: [embedRequest(undefined, '')] }, 'batchEmbedContents', 'contents is empty'],
    [
      'too many texts',
      { requests: Array.from({ length: 101 }, () => embedRequest()) },
      'batchEmbedContents',
      'at most 100',
    ],
    ['an unknown field', { texts: [] }, 'embedContent', 'Unknown name "texts"'],
  ])('to embed %s', async (_, body, method, message) => {
    const answer = await post(body, 'gemini-e', method)
    expect(answer.message).toContain(message)
    expect(answer.status).toBe(400)
  })
})

it('accepts calls with the signature of the first, and only so', async () => {
  const model = 'gemini-3-pro-preview'
  const { parts } = await post(request({}), model)
  const answers = { role: 'user', parts: [{ functionResponse }, { functionResponse: { name: 'now', response: {} } }] }
  const goOn = (given: object[]): Promise<Answer> =>
    post(request({ contents: [user, { role: 'model', parts: given }, answers] }), model)
  expect(await goOn(parts)).toMatchObject({ status: 200 })
  expect((await goOn([...parts].reverse())).message).toContain('function call `default_api:now` , position 2')
  expect((await goOn(parts.map((part) => ({ ...part, thoughtSignature: undefined })))).status).toBe(400)
  const foreign = [{ functionCall, thoughtSignature: skipped }, { functionCall }]
  expect(await goOn(foreign)).toMatchObject({ status: 200 })
  const later = { contents: [user, { role: 'model', parts }, answers, call, response] }
  expect((await post(request(later), model)).message).toContain('position 4')
})

function tool(declaration: object = { name: 'add', parametersJsonSchema: jsonSchema }): { tools: object[] } {
  return { tools: [{ functionDeclarations: [declaration] }] }
}

/** A function in the dialect of the API. */
function own(change: object): object {
  return { name: 'add', parameters: { ...ownSchema(), ...change } }
}

function ownSchema(): object {
  return { type: 'OBJECT', ...propertyA({ type: 'STRING', enum: ['x'], nullable: true }), required: ['a'] }
}

function propertyA(schema: object): object {
  return { properties: { a: schema } }
}

function choice(functionCallingConfig: object): object {
  return { toolConfig: { functionCallingConfig } }
}

function config(generationConfig: object): object {
  return { generationConfig }
}

function output(change: object = {}): object {
  return config({ responseMimeType: 'application/json', responseJsonSchema: jsonSchema, ...change })
}

function thinking(thinkingConfig: object): object {
  return config({ thinkingConfig })
}

function contentOf(part: object): object {
  return { contents: [{ role: 'user', parts: [part] }] }
}

function media(mimeType = 'image/png', data = 'AAAA'): object {
  return { inlineData: { mimeType, data } }
}

function file(): object {
  return { fileData: { fileUri: 'https://example.com/a.mp4', mimeType: 'video/mp4' } }
}

function model2(second: object): object {
  return { role: 'model', parts: [{ functionCall }, { functionCall: second }] }
}

function user2(second: object): object {
  return { role: 'user', parts: [{ functionResponse }, { functionResponse: second }] }
}

function signed(thoughtSignature: string): object {
  return { role: 'model', parts: [{ functionCall, thoughtSignature }] }
}

function signedNothing(): object {
  return { text: '', thoughtSignature: skipped }
}

function withResponse(change: object): object {
  return { contents: [user, call, { role: 'user', parts: [{ functionResponse: { ...functionResponse, ...change } }] }] }
}

function withSignature(change: object): object {
  const answer = { role: 'user', parts: [{ functionResponse: { ...functionResponse, ...change } }] }
  return { contents: [user, signed('context_engineering_is_the_way_to_go'), answer] }
}

function embedRequest(model = 'models/gemini-e', text = 'a'): object {
  return { model, content: { parts: [{ text }] } }
}
