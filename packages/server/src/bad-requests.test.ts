import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from './__fixtures__/fake-agent.ts'
import {
  boundary,
  chatData,
  chatRequest,
  expectHealthy,
  expectProblem,
  formBody,
  multipart,
  validFields,
} from './__fixtures__/requests.ts'
import { createApp } from './create-app.ts'

const user = { role: 'user', content: 'Hi' }
const jsonDetail =
  'The body must be JSON: {"user_id": "…", "session_id": "…", "messages": [{"role": "user", "content": "…"}]}.'
const deep = `{"messages":[{"role":"user","content":"Hi","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}]}`

type Row = [name: string, request: RequestInit, status: number, code: string, detail?: string]

function fields(changes: Record<string, string | undefined>): RequestInit {
  const entries = Object.entries({ ...validFields, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return chatRequest(Object.fromEntries(entries))
}

function chat(...messages: unknown[]): RequestInit {
  return fields({ chat_data: chatData(...messages) })
}

function body(text: string, contentType = multipart): RequestInit {
  return { method: 'POST', body: text, headers: { 'content-type': contentType } }
}

function part(headers: string, value: string): string {
  return `--${boundary}\r\n${headers}\r\n\r\n${value}\r\n`
}

const file = part('Content-Disposition: form-data; name="files[]"; filename="a.txt"', 'text')
const valid = formBody(validFields)

function json(changes: Record<string, unknown>): RequestInit {
  const { user_id, session_id } = validFields
  return body(JSON.stringify({ user_id, session_id, messages: [user], ...changes }), 'application/json')
}

const rows: Row[] = [
  ['1 no user_id', fields({ user_id: undefined }), 422, 'missing-field', 'Required: user_id.'],
  ['1 no session_id', fields({ session_id: undefined }), 422, 'missing-field', 'Required: session_id.'],
  ['1 no chat_data', fields({ chat_data: undefined }), 422, 'missing-field', 'Required: chat_data.'],
  ['1 a form without fields', body(`--${boundary}--\r\n`), 422, 'missing-field'],
  ['2 an empty user_id', fields({ user_id: '' }), 422, 'invalid-field'],
  ['2 a user_id of quotes alone', fields({ user_id: '""' }), 422, 'invalid-field'],
  ['2 a user_id of 129 emoji', fields({ user_id: '😀'.repeat(129) }), 422, 'invalid-field'],
  ['2 a user_id of 129 characters', fields({ user_id: 'a'.repeat(129) }), 422, 'invalid-field'],
  ['2 a user_id with a control character', fields({ user_id: 'a\u0007b' }), 422, 'invalid-field'],
  ['2 a user_id with a line end', fields({ user_id: 'a\r\nb' }), 422, 'invalid-field'],
  ['2 a user_id with a C1 control', fields({ user_id: 'a\u009bb' }), 422, 'invalid-field'],
  ['2 a session_id with NUL', fields({ session_id: 'a\u0000' }), 422, 'invalid-field'],
  ['2 a session_id of 129 characters', fields({ session_id: 'a'.repeat(129) }), 422, 'invalid-field'],
  [
    '2 a session_id that no path can have',
    fields({ session_id: '.' }),
    422,
    'invalid-field',
    'must not be "." or ".."',
  ],
  [
    '2 a session_id of two periods in JSON',
    json({ session_id: '..' }),
    422,
    'invalid-field',
    'must not be "." or ".."',
  ],
  [
    '2 user_id sent twice',
    body(formBody({ user_id: 'eve' }).replace(/--\r\n$/, '\r\n') + valid.slice(boundary.length + 4)),
    422,
    'invalid-field',
    'The field user_id is sent more than once.',
  ],
  [
    '2 chat_data as a file',
    body(part('Content-Disposition: form-data; name="chat_data"; filename="blob"', '{}') + valid),
    422,
    'invalid-field',
    'The field chat_data is a file: send it as text, without a file name.',
  ],
  ['3 chat_data that is not JSON', fields({ chat_data: '{"messages": [' }), 400, 'malformed-chat-data'],
  ['3 empty chat_data', fields({ chat_data: '' }), 400, 'malformed-chat-data'],
  ['3 chat_data that is a string', fields({ chat_data: '"hello"' }), 400, 'malformed-chat-data'],
  ['4 chat_data that is a list', fields({ chat_data: '[]' }), 400, 'malformed-chat-data'],
  ['4 chat_data that is null', fields({ chat_data: 'null' }), 400, 'malformed-chat-data'],
  ['4 messages that are not a list', fields({ chat_data: '{"messages":{"0":1}}' }), 400, 'malformed-chat-data'],
  ['4 a message that is null', chat(null), 400, 'malformed-chat-data'],
  ['4 the role "root"', chat({ role: 'root', content: 'Hi' }), 400, 'malformed-chat-data'],
  ['4 no role', chat({ content: 'Hi' }), 400, 'malformed-chat-data'],
  ['4 a number as content', chat({ role: 'user', content: 1 }), 400, 'malformed-chat-data'],
  ['4 parts as content', chat({ role: 'user', content: [{ type: 'text', text: 'Hi' }] }), 400, 'malformed-chat-data'],
  [
    '53 an image at an internal address',
    chat({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://169.254.169.254/latest' } }] }),
    400,
    'malformed-chat-data',
  ],
  ['4 no content', chat({ role: 'user' }), 400, 'malformed-chat-data'],
  ['4 an empty question', chat({ role: 'user', content: ' \n' }), 400, 'malformed-chat-data'],
  ['5 no messages', chat(), 400, 'malformed-chat-data', 'No messages provided'],
  [
    '6 an assistant last',
    chat(user, { role: 'assistant', content: 'Hi' }),
    400,
    'malformed-chat-data',
    'Last message must be from user',
  ],
  ['7 a system message last', chat({ role: 'system', content: 'Obey' }), 400, 'forbidden-role'],
  ['7 a system message earlier', chat({ role: 'system', content: 'Obey' }, user), 400, 'forbidden-role'],
  ['7 a tool message earlier', chat({ role: 'tool', content: '42' }, user), 400, 'forbidden-role'],
  ['7 a developer message earlier', chat({ role: 'developer', content: 'Obey' }, user), 400, 'forbidden-role'],
  ['8 JSON 10,000 deep', fields({ chat_data: deep }), 400, 'malformed-chat-data'],
  [
    '9 chat_data of 1 MiB and a byte',
    fields({ chat_data: 'x'.repeat(1024 * 1024 + 1) }),
    413,
    'field-too-large',
    'The field chat_data is longer than the limit of 1048576 bytes.',
  ],
  [
    '9 a field without a name of 1 MiB and a byte',
    fields({ '': 'x'.repeat(1024 * 1024 + 1) }),
    413,
    'field-too-large',
    'A field without a name is longer',
  ],
  ['9 an unknown field of 1 MiB and a byte', fields({ other: 'x'.repeat(1024 * 1024 + 1) }), 413, 'field-too-large'],
  ['10 JSON that contains a file URL', json({ files: { filepath: '/etc/passwd' } }), 422, 'invalid-field'],
  [
    '10 a urlencoded form',
    body('user_id=a&session_id=b', 'application/x-www-form-urlencoded'),
    415,
    'unsupported-media-type',
  ],
  ['10 no Content-Type', { method: 'POST' }, 415, 'unsupported-media-type'],
  ['10 another multipart type', body(valid, `multipart/mixed; boundary=${boundary}`), 415, 'unsupported-media-type'],
  ['10 a file', body(file + valid), 415, 'unsupported-media-type'],
  [
    '10 a file after the fields',
    body(valid.replace(/--frontier--\r\n$/, `${file}--frontier--\r\n`)),
    415,
    'unsupported-media-type',
  ],
  [
    '10 a file without a name',
    body(part('Content-Disposition: form-data; name="files[]"\r\nContent-Type: application/octet-stream', 'x') + valid),
    415,
    'unsupported-media-type',
  ],
  ['10 files[] as text', fields({ 'files[]': 'x' }), 415, 'unsupported-media-type'],
  [
    'a compressed body',
    { ...json({}), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
    415,
    'unsupported-media-type',
    'Send the body without a Content-Encoding',
  ],
  ['1 JSON without user_id', json({ user_id: undefined }), 422, 'missing-field', 'Required: user_id.'],
  ['1 JSON without messages', json({ messages: undefined }), 422, 'missing-field', 'Required: messages.'],
  ['1 an empty object', body('{}', 'application/json'), 422, 'missing-field'],
  ['2 a number as session_id in JSON', json({ session_id: 1 }), 422, 'invalid-field'],
  ['3 JSON that does not parse', body('{"user_id":', 'application/json'), 400, 'malformed-chat-data'],
  ['3 an empty JSON body', body('', 'application/json'), 400, 'malformed-chat-data'],
  ['3 a list as JSON', body('[]', 'application/json'), 400, 'malformed-chat-data', jsonDetail],
  ['3 a text as JSON', body('"hello"', 'application/json'), 400, 'malformed-chat-data'],
  ['4 messages in JSON that are not a list', json({ messages: 'Hi' }), 400, 'malformed-chat-data', jsonDetail],
  ['4 parts as content in JSON', json({ messages: [{ role: 'user', content: [] }] }), 400, 'malformed-chat-data'],
  ['5 no messages in JSON', json({ messages: [] }), 400, 'malformed-chat-data', 'No messages provided'],
  ['7 a system message in JSON', json({ messages: [{ role: 'system', content: 'x' }, user] }), 400, 'forbidden-role'],
  ['8 a JSON body 10,000 deep', body(deep, 'application/json'), 400, 'malformed-chat-data'],
  [
    '10 an unknown field in JSON',
    json({ temperature: 1 }),
    422,
    'invalid-field',
    'The field temperature is not a field',
  ],
  [
    'stream as a field in JSON, as the APIs of models have it',
    json({ stream: true }),
    422,
    'invalid-field',
    'The field stream is not a field of this request: send the header "Accept: text/event-stream" for a stream.',
  ],
  [
    '46 __proto__ as a field in JSON',
    body('{"user_id":"a","session_id":"b","messages":[],"__proto__":{}}', 'application/json'),
    422,
    'invalid-field',
  ],
  ['a text as resumable in JSON', json({ resumable: 'true' }), 422, 'invalid-field', 'must be true or false'],
  ['another word as resumable', fields({ resumable: 'yes' }), 422, 'invalid-field', 'must be true or false'],
  ['an empty replaces', fields({ replaces: '' }), 422, 'invalid-field'],
  [
    '11 no boundary',
    body(valid, 'multipart/form-data'),
    400,
    'malformed-multipart',
    'The Content-Type header names no boundary',
  ],
  [
    '11 an empty boundary',
    body(valid, 'multipart/form-data; boundary='),
    400,
    'malformed-multipart',
    'The Content-Type header names no boundary',
  ],
  [
    '11 an empty boundary in quotes',
    body(valid.replaceAll(boundary, ''), 'multipart/form-data; boundary=""'),
    400,
    'malformed-multipart',
    'The Content-Type header names no boundary',
  ],
  ['12 truncated multipart', body(valid.slice(0, valid.length / 2)), 400, 'malformed-multipart'],
  ['12 no closing boundary', body(valid.slice(0, -`--${boundary}--\r\n`.length)), 400, 'malformed-multipart'],
  ['12 garbage', body('\u0000\u0001 this is no form'), 400, 'malformed-multipart'],
  ['12 an empty body', body(''), 400, 'malformed-multipart'],
  [
    "12 a boundary that differs from the header's",
    body(valid, 'multipart/form-data; boundary=other'),
    400,
    'malformed-multipart',
  ],
  [
    '12 a part header without a colon',
    body(`--${boundary}\r\nnonsense\r\n\r\nx\r\n--${boundary}--\r\n`),
    400,
    'malformed-multipart',
  ],
  [
    '12 an unknown character set',
    body(
      part('Content-Disposition: form-data; name="user_id"\r\nContent-Type: text/plain; charset=nonsense', 'x') + valid,
    ),
    400,
    'malformed-multipart',
  ],
  [
    '13 51 parts',
    body(formBody(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, 'x'])))),
    413,
    'too-many-parts',
  ],
  [
    '13 3,000 part headers',
    body(part(`${'X-Header: value\r\n'.repeat(3000)}Content-Disposition: form-data; name="a"`, 'x') + valid),
    400,
    'malformed-multipart',
  ],
  [
    '14 a body over the limit by its Content-Length',
    { ...chatRequest(), headers: { 'content-type': multipart, 'content-length': '99999999' } },
    413,
    'payload-too-large',
  ],
  [
    '15 a body over the limit without a Content-Length',
    { ...chatRequest(), body: tooLong(), duplex: 'half' } as RequestInit,
    413,
    'payload-too-large',
  ],
]

/** A form as bytes: each character of a value is one byte. */
function bytes(text: string): RequestInit {
  return { ...body(''), body: Buffer.from(text, 'latin1') }
}

const disposition = 'Content-Disposition: form-data; name='
const utf8 = '\r\nContent-Type: text/plain; charset=utf-8'

const { user_id: _userId, ...otherFields } = validFields
const others = formBody(otherFields)

/** Values that a decoder would replace, so that two different ids would become one. */
const noUTF8: [string, string][] = [
  ['a user_id with a byte that is none', formBody({ ...validFields, user_id: 'a\xff' })],
  ['a session_id that ends in the middle of a character', formBody({ ...validFields, session_id: 'a\xe2\x82' })],
  ['a surrogate in a user_id', formBody({ ...validFields, user_id: 'a\xed\xa0\x80' })],
  ['an overlong form in a user_id', formBody({ ...validFields, user_id: 'a\xc0\xaf' })],
  ['chat_data', formBody({ ...validFields, chat_data: chatData({ role: 'user', content: '\x80' }) })],
  ['a field that is not read', formBody({ ...validFields, other: '\xfe' })],
  ['a field that says that it is UTF-8', part(`${disposition}"user_id"${utf8}`, 'a\xff') + others],
  [
    'a field in another character set',
    part(`${disposition}"user_id"${utf8.replace('utf-8', 'latin1')}`, '\xe9') + others,
  ],
  ['the name of a field', part(`${disposition}"a\xff"`, 'x') + valid],
  ['the name of a file', part(`${disposition}"files"; filename="a\xff.txt"`, 'x') + valid],
  ['the name of a file in its extended form', part(`${disposition}"files"; filename*=UTF-8''a%ff.txt`, 'x') + valid],
  ['a preamble', `\xff\r\n${valid}`],
]

describe('bad requests', () => {
  it.each(noUTF8)('%s that is not UTF-8 → 400 malformed-multipart', async (_name, form) => {
    const agent = fakeAgent()
    const app = createApp(agent)
    const problem = await expectProblem(await app.request('/api/v1/chat', bytes(form)), 400, 'malformed-multipart')
    expect(problem.detail).toContain('not valid UTF-8')
    expect(agent.calls).toHaveLength(0)
    await expectHealthy(app)
  })

  it.each([
    ['as it is', formBody({ ...validFields, user_id: 'é\ufffd😀' })],
    ['where a field says that it is UTF-8', part(`${disposition}"user_id"${utf8}`, 'é\ufffd😀') + others],
  ])('accepts UTF-8 %s, split anywhere', async (_name, form) => {
    const agent = fakeAgent()
    const encoded = Buffer.from(form)
    const stream = new ReadableStream({
      pull(controller) {
        for (const byte of encoded) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const request = { ...chatRequest(), body: stream, duplex: 'half' } as RequestInit
    expect((await createApp(agent).request('/api/v1/chat', request)).status).toBe(200)
    expect(agent.calls[0]?.options.userId).toBe('é\ufffd😀')
  })

  it('names the accepted types of body', async () => {
    const response = await createApp(fakeAgent()).request('/api/v1/chat', body('{}', 'text/plain'))
    expect(response.headers.get('accept')).toBe('multipart/form-data, application/json')
    const { detail } = await expectProblem(response, 415, 'unsupported-media-type')
    expect(detail).toContain('multipart/form-data, with the text fields user_id, session_id and chat_data')
  })

  it.each(rows)('%s → %i %s', async (_name, request, status, code, detail = '') => {
    const agent = fakeAgent()
    const app = createApp(agent)
    const problem = await expectProblem(await app.request('/api/v1/chat', request), status, code)
    expect(problem.detail).toContain(detail)
    expect(agent.calls).toHaveLength(0)
    await expectHealthy(app)
  })

  it('12 a JSON body that fails while it is read → 400', async () => {
    const failing = new ReadableStream({ pull: (controller) => controller.error(new Error('connection reset')) })
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', body: failing, headers, duplex: 'half' } as RequestInit
    await expectProblem(await createApp(fakeAgent()).request('/api/v1/chat', request), 400, 'malformed-chat-data')
  })

  it('12 a body that fails while it is read → 400 malformed-multipart', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(valid.slice(0, 80)))
      },
      pull(controller) {
        controller.error(new Error('connection reset'))
      },
    })
    const request: RequestInit & { duplex: 'half' } = { ...chatRequest(), body, duplex: 'half' }
    await expectProblem(await createApp(fakeAgent()).request('/api/v1/chat', request), 400, 'malformed-multipart')
  })

  it('12 a body whose client leaves before it is read → 400 malformed-multipart', async () => {
    const incoming = new Readable({ read() {} }).destroy()
    await new Promise((resolve) => incoming.on('close', resolve))
    const response = await createApp(fakeAgent()).request('/api/v1/chat', chatRequest(), { incoming })
    await expectProblem(response, 400, 'malformed-multipart')
  })

  it('has the path of the invalid field', async () => {
    const app = createApp(fakeAgent())
    const missing = await expectProblem(
      await app.request('/api/v1/chat', fields({ user_id: undefined })),
      422,
      'missing-field',
    )
    expect(missing.errors).toEqual([{ path: ['user_id'], message: 'is required' }])
    const role = await expectProblem(
      await app.request('/api/v1/chat', chat({ role: 'tool', content: '' }, user)),
      400,
      'forbidden-role',
    )
    expect(role.errors?.[0]?.path).toEqual(['chat_data', 'messages', 0, 'role'])
  })

  it.each([
    ['chat_data of exactly 1 MiB', fields({ chat_data: exactly(1024 * 1024) })],
    [
      '50 parts',
      body(
        formBody({
          ...validFields,
          ...Object.fromEntries(Array.from({ length: 47 }, (_, index) => [`f${index}`, 'x'])),
        }),
      ),
    ],
    ['ids of 128 characters', fields({ user_id: 'é'.repeat(128), session_id: 'b'.repeat(128) })],
    ['brackets inside of strings', chat({ role: 'user', content: `\\" ${'[{'.repeat(1000)}` })],
    [
      'an unused file input',
      body(
        part(
          'Content-Disposition: form-data; name="files[]"; filename=""\r\nContent-Type: application/octet-stream',
          '',
        ) + valid,
      ),
    ],
    ['a Content-Type in capitals', body(valid, `Multipart/Form-Data; boundary="${boundary}"`)],
  ])('accepts %s', async (_name, request) => {
    expect((await createApp(fakeAgent()).request('/api/v1/chat', request)).status).toBe(200)
  })
})

function exactly(length: number): string {
  const frame = chatData({ role: 'user', content: '' })
  return chatData({ role: 'user', content: 'x'.repeat(length - frame.length) })
}

/** An incomplete form whose last field has 16 MiB. */
function tooLong(): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const chunk = encoder.encode('x'.repeat(64 * 1024))
  let chunks = 0
  return new ReadableStream({
    pull(controller) {
      if (chunks === 256) return controller.close()
      controller.enqueue(chunks === 0 ? encoder.encode(part('Content-Disposition: form-data; name="a"', '')) : chunk)
      chunks++
    },
  })
}
