import type {
  AssistantMessage,
  JSONSchema,
  JSONValue,
  Message,
  ModelEvent,
  ModelRequest,
  ToolSpec,
} from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { offline } from './offline.ts'

/** The worst inputs for patterns: each begins a match at every place, and completes none. */
const worst: Record<string, string> = {
  newlines: '\n',
  'Windows newlines': '\r\n',
  'left double quotes': '“',
  'low quotes': '„',
  'straight quotes': '"',
  apostrophes: " 'a'b",
  'apostrophes within words': " 'many'words",
  'code fences': '```a\n',
  'tags that are never closed': '<a>x',
  '"what does"': 'what does ',
  '"which"': 'which ',
  '"text:"': 'text:\n ',
  '"question:"': 'question:\n',
  '"called"': 'called ',
  '"between"': 'between ',
  'requests in a row': ', get a',
  spaces: ' ',
  'no-break spaces': '\u00a0',
  digits: '1',
  'numbers in words': 'one ',
  sums: '1+',
  amounts: '$5 ',
  'telephone numbers': '+1 1',
  commas: ',',
  'a list': 'a, ',
  'items without spaces': '1,',
  'opening brackets': '[',
  'parentheses and signs': '(-',
  'rows of addresses': 'a@a.',
  'a@a@a@': 'a@',
  'dotted names': 'a.',
  codes: 'A-',
  'capital letters': 'A',
  'one long word': '灯',
  'short lines': 'a: b\n',
  'short sentences': 'A cat sat. ',
  'questions of one letter': '\n\na?',
  'numbered passages': '\n\n[1] a.md\nx',
  'halves of characters': '\ud800',
}

const text = (description = ''): JSONSchema => ({ type: 'string', description })
const object = (properties: Record<string, JSONSchema>): JSONSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})
const tools: ToolSpec[] = [
  { name: 'weather', description: 'The weather of a city.', inputSchema: object({ city: text('Name of the city') }) },
  {
    name: 'send_email',
    description: 'Sends an email.',
    inputSchema: object({ to: text(), subject: text(), body: text() }),
  },
  { name: 'add_items', description: 'Adds items.', inputSchema: object({ items: { type: 'array', items: text() } }) },
  { name: 'calculate', description: 'Computes a formula.', inputSchema: object({ expression: text() }) },
  {
    name: 'schedule',
    description: 'Schedules a meeting.',
    inputSchema: object({ title: text(), start: { type: 'string', format: 'date-time' }, zone: text('time zone') }),
  },
  { name: 'search_files', description: 'Searches files.', inputSchema: object({ query: text() }) },
  { name: 'read_file', description: 'Reads a file.', inputSchema: object({ file: text() }) },
  { name: 'list_files', description: 'Lists files.', inputSchema: object({}) },
]

const user = (content: string): Message => ({ role: 'user', content })
const assistant = (...content: AssistantMessage['content']): Message => ({ role: 'assistant', content })
/** The inputs with which the model calls each tool. */
const inputs: Record<string, JSONValue> = {
  weather: { city: 'Paris' },
  search_files: { query: 'weather' },
  read_file: { file: 'a.md' },
}
const called = (name: string, content: string): Message[] => [
  assistant({ type: 'tool-call', callId: 'a', name, input: inputs[name] ?? {} }),
  { role: 'tool', callId: 'a', name, content },
]
const question = user('What is the weather in Paris?')
/** A text as many pieces of up to `size` characters. */
const pieces = (whole: string, size: number): string[] =>
  Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.slice(at * size, (at + 1) * size))

const places: Record<string, (worst: string) => ModelRequest> = {
  'as the question': (worst) => ({ messages: [user(worst)], tools }),
  'before a question': (worst) => ({ messages: [user(`${worst} What is the weather in Paris?`)], tools }),
  'as the question, for a form': (worst) => ({
    messages: [user(worst)],
    output: object({ name: text(), answer: text() }),
  }),
  'as an earlier message': (worst) => ({
    messages: [
      user(worst),
      assistant({ type: 'text', text: 'I would call weather, but your message does not say "city". Please tell me.' }),
      user('What is it?'),
    ],
    tools,
  }),
  'behind a quote that is never closed': (worst) => ({ messages: [user(`“${worst}`)], tools }),
  'as many earlier messages': (worst) => ({
    messages: [
      ...pieces(worst, 4_000).flatMap((piece) => [user(piece), assistant({ type: 'text', text: 'ok' })]),
      question,
    ],
    tools,
  }),
  'as an earlier answer': (worst) => ({
    messages: [user('Hello'), assistant({ type: 'text', text: worst }), question],
    tools,
  }),
  'as a result': (worst) => ({ messages: [question, ...called('weather', worst)], tools }),
  'as a result with fields': (worst) => ({
    messages: [
      question,
      ...called('weather', JSON.stringify(pieces(worst, 40).map((piece) => ({ name: piece, [piece]: 1 })))),
    ],
    tools,
  }),
  'as what a search found': (worst) => ({ messages: [question, ...called('search_files', worst)], tools }),
  'as a file that was read': (worst) => ({ messages: [question, ...called('read_file', `a.md\n\n${worst}`)], tools }),
  'as many results': (worst) => ({
    messages: [question, ...pieces(worst, 60_000).flatMap((piece) => called('weather', piece))],
    tools,
  }),
  'as the instruction': (worst) => ({ messages: [{ role: 'system', content: worst }, question] }),
  'as the description of a tool': (worst) => ({
    messages: [question],
    tools: [{ name: 'weather', description: worst, inputSchema: object({ city: text() }) }],
  }),
  'as the schema of a tool': (worst) => ({
    messages: [question],
    tools: [{ name: 'weather', description: 'weather', inputSchema: object({ city: text(worst), [worst]: text() }) }],
  }),
  'as many tools': (worst) => ({
    messages: [question],
    tools: pieces(worst, 1_000).map((piece, at) => ({
      name: `weather${at}`,
      description: piece,
      inputSchema: object({ city: text() }),
    })),
  }),
}

const model = offline({ now: () => new Date('2026-01-01') }).model()

async function eventsFor(request: ModelRequest): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event)
  return events
}

async function answerTo(request: ModelRequest): Promise<string> {
  const events = await eventsFor(request)
  return events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')
}

/** CPU time, which other work on the machine does not change, in milliseconds. */
async function costOf(request: ModelRequest): Promise<number> {
  const before = process.cpuUsage()
  // These texts have no values for a form, which is a separate error.
  await eventsFor(request).catch(() => [])
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe.each(Object.entries(places))('the worst text %s', (_place, requestWith) => {
  it.each(Object.entries(worst))('costs a moment when it is %s', async (_what, piece) => {
    const request = requestWith(piece.repeat(Math.ceil(100_000 / piece.length)))
    // At most about 100 ms on an idle machine; what grows with the square of the length takes many seconds.
    expect(await costOf(request)).toBeLessThan(1_000)
  })
})

it.each(Object.entries(places))('a megabyte of the worst text %s costs no more', async (_place, requestWith) => {
  for (const piece of ['\n', '“', 'what does ', 'a@']) {
    expect(await costOf(requestWith(piece.repeat(Math.ceil(1_000_000 / piece.length))))).toBeLessThan(1_000)
  }
})

describe('the part that is not read', () => {
  const long = 'My bike is in the shed. '.repeat(200)

  it('is reported for a long message', async () => {
    expect(await answerTo({ messages: [user(long)] })).toContain(
      'I read only the first 4,000 characters of your message.',
    )
  })

  it('is reported for a long earlier message', async () => {
    const messages = [user(long), assistant({ type: 'text', text: 'ok' }), user('Where is my bike?')]
    const answer = await answerTo({ messages })
    expect(answer).toContain('I read only the first 4,000 characters of an earlier message')
    expect(answer).toContain('You said: "My bike is in the shed."')
  })

  it('is reported for a long result', async () => {
    const messages = [question, ...called('weather', 'sunny '.repeat(20_000))]
    expect(await answerTo({ messages, tools })).toContain('I read only the first 64 KB of what weather gave.')
  })

  it('is a warning where the answer is data', async () => {
    const output = object({ name: text() })
    const events = await eventsFor({ messages: [user(`name: Ada\n${'x '.repeat(3_000)}`)], output })
    expect(events.at(-1)).toMatchObject({ warnings: [expect.stringContaining('4,000 characters')] })
  })

  it('is not part of an argument', async () => {
    const events = await eventsFor({
      messages: [user(`Send an email to a@b.example with subject Hi and body ${'more '.repeat(1_000)}`)],
      tools,
    })
    expect(events.filter(({ type }) => type === 'tool-call')).toEqual([])
  })

  it('is never reported for input that fits', async () => {
    expect(await answerTo({ messages: [user('a'.repeat(4_000))] })).not.toContain('I read only')
  })
})

describe('data in data', () => {
  it('is cut where it is deeper than is read', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    expect(await answerTo({ messages: [question, ...called('weather', deep)], tools })).toContain('… (from weather)')
  })

  it('ends where a schema leads back to itself', async () => {
    const inputSchema = object({ city: { anyOf: [{ $ref: '#/properties/city' }] } })
    await expect(
      eventsFor({ messages: [question], tools: [{ name: 'weather', description: '', inputSchema }] }),
    ).resolves.toBeDefined()
  })
})
