import {
  Agent,
  type AssistantMessage,
  type Message,
  type ModelEvent,
  type ModelRequest,
  type ToolCallPart,
  type ToolSpec,
  tool,
} from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { offline } from './offline.ts'

// A Tuesday.
const model = offline({ now: () => new Date(2026, 1, 10, 12) }).model()
const text = { type: 'string' }
const number = { type: 'number' }
const introduction = 'I am the offline stand-in, not a language model.'

function spec(name: string, description: string, properties: Record<string, object>): ToolSpec {
  const inputSchema = { type: 'object', properties, required: Object.keys(properties) }
  return { name, description, inputSchema }
}
const weather = spec('getWeather', 'The weather of a city.', { city: { ...text, description: 'Name of the city' } })

const user = (content: string): Message => ({ role: 'user', content })
const called = (name: string, content: string, more: object = {}): Message[] => [
  { role: 'assistant', content: [{ type: 'tool-call', callId: 'a', name, input: { city: 'Paris' } }] },
  { role: 'tool', callId: 'a', name, content, ...more },
]

async function eventsOf(request: ModelRequest, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, signal)) events.push(event)
  return events
}

async function messageOf(request: ModelRequest): Promise<AssistantMessage> {
  const last = (await eventsOf(request)).at(-1)
  if (last?.type !== 'finish') throw new Error('no finish')
  return last.message
}

async function answerTo(request: ModelRequest): Promise<string> {
  const { content } = await messageOf(request)
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

async function callsFor(message: string, tools: ToolSpec[], more: Partial<ModelRequest> = {}): Promise<ToolCallPart[]> {
  const { content } = await messageOf({ messages: [user(message)], tools, ...more })
  return content.filter((part) => part.type === 'tool-call')
}

async function inputFor(message: string, one: ToolSpec): Promise<unknown> {
  return (await callsFor(message, [one]))[0]?.input
}

describe('as a model', () => {
  it('says how to get a real one, also where a key alone does not change the model', async () => {
    const answer = await answerTo({ messages: [user('Who are you?')] })
    expect(answer).toContain('OPENAI_API_KEY. Where offline/extractive is the `model`, in code or in')
  })

  it('costs nothing', () => {
    expect(model.info?.price).toMatchObject({ inputUsdPerMillion: 0, outputUsdPerMillion: 0 })
  })

  it('streams text in several deltas that join to its message, and finishes once, last', async () => {
    const events = await eventsOf({ messages: [user('Hello')], tools: [weather] })
    const deltas = events.filter((event) => event.type === 'text-delta').map((event) => event.text)
    const finishes = events.filter((event) => event.type === 'finish')
    expect(deltas.length).toBeGreaterThan(2)
    expect(finishes).toEqual([events.at(-1)])
    expect(finishes[0]).toMatchObject({
      reason: 'stop',
      message: { role: 'assistant', model: 'offline/extractive', content: [{ type: 'text', text: deltas.join('') }] },
    })
  })

  it('finishes with tool-calls where it calls', async () => {
    const events = await eventsOf({ messages: [user('weather in Paris')], tools: [weather] })
    expect(events.map(({ type }) => type)).toEqual(['tool-call', 'finish'])
    expect(events.at(-1)).toMatchObject({ reason: 'tool-calls' })
  })

  it('gives the same answer to the same request', async () => {
    const request = { messages: [user('Is it going to rain in Oslo?')], tools: [weather] }
    expect(await eventsOf(request)).toEqual(await eventsOf(request))
  })

  it('counts words as its tokens', async () => {
    const last = (await eventsOf({ messages: [user('one two three')] })).at(-1)
    expect(last).toMatchObject({ usage: { inputTokens: 3 } })
  })

  it.each([
    ['aborted', undefined],
    ['timeout', new DOMException('late', 'TimeoutError')],
  ])('ends in %s for a signal that is aborted already', async (code, reason) => {
    const ended = eventsOf({ messages: [user('Hello')] }, AbortSignal.abort(reason))
    await expect(ended).rejects.toMatchObject({ code, provider: 'offline', model: 'extractive' })
  })

  it('stops in the middle of an answer that is aborted', async () => {
    const controller = new AbortController()
    const seen: string[] = []
    const read = async (): Promise<void> => {
      for await (const event of model.stream({ messages: [user('help')] }, controller.signal)) {
        seen.push(event.type)
        controller.abort()
      }
    }
    await expect(read()).rejects.toMatchObject({ code: 'aborted' })
    expect(seen).toEqual(['text-delta'])
  })

  it('cuts its answer at maxOutputTokens and reports length', async () => {
    const last = (await eventsOf({ messages: [user('help')], maxOutputTokens: 5 })).at(-1)
    expect(last).toMatchObject({ reason: 'length', usage: { outputTokens: 5 } })
  })

  it('ends its answer before a stop word', async () => {
    expect(await answerTo({ messages: [user('Hello')], stop: ['stand-in'] })).toBe('I am the offline ')
  })

  it('warns of options that it ignores', async () => {
    const events = await eventsOf({ messages: [user('Hello')], temperature: 0.7, reasoning: 'high' })
    expect(events.filter(({ type }) => type === 'warning')).toHaveLength(2)
    expect(events.at(-1)).toMatchObject({
      warnings: [expect.stringContaining('temperature'), expect.stringContaining('reasoning')],
    })
  })

  it('gives each call of a conversation its own id', async () => {
    const messages = [user('weather in Paris'), ...called('getWeather', 'Sunny'), user('weather in Rome')]
    messages[1] = { role: 'assistant', content: [{ type: 'tool-call', callId: 'offline_2', name: 'a', input: {} }] }
    const { content } = await messageOf({ messages, tools: [weather] })
    expect(content).toMatchObject([{ callId: 'offline_3', input: { city: 'Rome' } }])
  })

  it('survives an empty conversation, empty texts and tools without properties', async () => {
    const bare: ToolSpec = { name: 'ping', description: '', inputSchema: { type: 'object' } }
    expect(await answerTo({ messages: [] })).toContain(introduction)
    expect(await answerTo({ messages: [user('')], tools: [bare] })).toContain(introduction)
    expect(await inputFor('ping', bare)).toEqual({})
  })

  it('says that it reads no image', async () => {
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, url: 'https://example.com/a.png' },
    ]
    expect(await answerTo({ messages: [{ role: 'user', content }] })).toContain('I cannot read the image')
  })

  it('introduces itself in the first answer alone', async () => {
    const messages = [
      user('Hello'),
      { role: 'assistant', content: [{ type: 'text', text: introduction }] },
    ] as Message[]
    const next = [...messages, user('weather in Paris'), ...called('getWeather', 'Sunny')]
    expect(await answerTo({ messages: next, tools: [weather] })).toBe('getWeather: Sunny')
  })
})

describe('toolChoice', () => {
  const stocks = spec('stockPrice', 'Latest share price.', { symbol: { ...text, description: 'Ticker symbol' } })

  it('calls nothing with none', async () => {
    expect(await callsFor('weather in Paris', [weather], { toolChoice: 'none' })).toEqual([])
  })

  it('calls the tool that is named', async () => {
    const calls = await callsFor('Paris', [stocks, weather], { toolChoice: { tool: 'getWeather' } })
    expect(calls).toMatchObject([{ name: 'getWeather', input: { city: 'Paris' } }])
  })

  it('calls a tool that can be filled with required', async () => {
    expect(await callsFor('AAPL', [stocks], { toolChoice: 'required' })).toMatchObject([{ input: { symbol: 'AAPL' } }])
    expect(await callsFor('AAPL', [stocks])).toEqual([])
  })
})

describe('arguments', () => {
  const unit = { type: 'string', enum: ['celsius', 'fahrenheit'] }

  it.each<[kind: string, message: string, tool: ToolSpec, input: object]>([
    ['a name', 'What is the weather in New York?', weather, { city: 'New York' }],
    ['words after a preposition', 'weather in new york tomorrow please', weather, { city: 'new york' }],
    ['words', 'Paris weather', weather, { city: 'Paris' }],
    ['a quote', 'Find "Ada L."', spec('find', 'Finds a customer.', { name: text }), { name: 'Ada L.' }],
    ['a number', 'Square root of 16', spec('square_root', '', { x: number }), { x: 16 }],
    ['two numbers', 'add 3 and 4.5', spec('add', 'Adds numbers.', { a: number, b: number }), { a: 3, b: 4.5 }],
    [
      'a number beside its name',
      'Book for 2 guests, room 12',
      spec('book', '', { room: number, guests: number }),
      { room: 12, guests: 2 },
    ],
    [
      'a day',
      'Remind me to call mum on Friday',
      spec('remind', '', { text, date: { ...text, format: 'date' } }),
      { text: 'call mum', date: '2026-02-13' },
    ],
    ...[
      ['since 2026-03-05', '2026-03-05T00:00:00Z'],
      ['since yesterday', '2026-02-09T00:00:00Z'],
      ['since 2026-03-05 at 19:30', '2026-03-05T19:30:00Z'],
      ['since 7:05 pm on 5 March', '2026-03-05T19:05:00Z'],
      ['since tomorrow, 12am', '2026-02-11T00:00:00Z'],
      ['since 5 March for 4 guests', '2026-03-05T00:00:00Z'],
      ['since 2026-03-05T10:15', '2026-03-05T10:15:00Z'],
      ['since 2026-03-05T10:15:30.5+02:00', '2026-03-05T10:15:30.5+02:00'],
    ].map(([words, since]): [string, string, ToolSpec, object] => {
      const one = spec('listOrders', 'Lists orders.', { since: { ...text, format: 'date-time' } })
      return [`a moment: ${words}`, `list orders ${words}`, one, { since }]
    }),
    ['a date in words', 'holiday March 5th', spec('holiday', '', { date: text }), { date: '2026-03-05' }],
    [
      'a word of an enum',
      'convert -40 f to c',
      spec('convert', '', { value: number, from: unit, to: unit }),
      { value: -40, from: 'fahrenheit', to: 'celsius' },
    ],
    ['a code', 'Where is order ORD-12?', spec('order', '', { orderId: text }), { orderId: 'ORD-12' }],
    ['an address', 'Look up user a@b.example', spec('user', '', { email: text }), { email: 'a@b.example' }],
    [
      'what matches a pattern',
      'zip 12345 please',
      spec('zip', '', { code: { ...text, pattern: '^\\d{5}$' } }),
      { code: '12345' },
    ],
    [
      'a list',
      'Average of [1, 2.5]',
      spec('average', '', { numbers: { type: 'array', items: number } }),
      { numbers: [1, 2.5] },
    ],
    [
      'the rest of a message',
      'Add buy milk to my todo list',
      spec('add_todo', 'Adds to the todo list.', { item: text }),
      { item: 'buy milk' },
    ],
    [
      'the whole message, as a task',
      'Analyze this',
      spec('analyst', 'Asks Analyst.', { task: text }),
      { task: 'Analyze this' },
    ],
    [
      'the whole message, as the task of an agent, whatever names and quotes it has',
      'What time is it in Tokyo for "ada"?',
      spec('clock', 'Asks Clock. Knows the time.', {
        task: { ...text, description: 'The task: the agent may see nothing else.' },
      }),
      { task: 'What time is it in Tokyo for "ada"?' },
    ],
    [
      'a quote, as another task',
      'Add the task "buy milk"',
      spec('add_task', 'Adds to the list.', { task: text }),
      { task: 'buy milk' },
    ],
    ['a default', 'ping', spec('ping', '', { times: { ...number, default: 1 } }), { times: 1 }],
  ])('are filled by %s: %s', async (_kind, message, one, input) => {
    expect(await inputFor(message, one)).toEqual(input)
  })

  it('are asked for where they are missing, and taken from the next message', async () => {
    const first = [user("What's the weather?")]
    const asked = await answerTo({ messages: first, tools: [weather] })
    expect(asked).toContain('I would call getWeather, but your message does not say "city" (Name of the city).')
    const messages: Message[] = [
      ...first,
      { role: 'assistant', content: [{ type: 'text', text: asked }] },
      user('Paris.'),
    ]
    const { content } = await messageOf({ messages, tools: [weather] })
    expect(content).toMatchObject([{ name: 'getWeather', input: { city: 'Paris' } }])
  })

  it('are no reason to call a tool that the message forbids', async () => {
    expect(await callsFor('Do not get the weather in Paris', [weather])).toEqual([])
  })
})

describe('results', () => {
  const answer = async (content: string, more: object = {}, question = 'What is the weather in Paris?') => {
    const messages = [user(question), ...called('getWeather', content, more)]
    return (await answerTo({ messages, tools: [weather] })).replace(introduction, '').trim()
  }

  it('are cut between characters', async () => {
    expect((await answer(`a${'🌧'.repeat(1_000)}`)).isWellFormed()).toBe(true)
  })

  it.each([
    ['{"temperature":21,"sky":"clear"}', 'temperature: 21, sky: clear (from getWeather).'],
    ['{"blockNumber":"0x10","logs":[]}', 'block number: 0x10 (from getWeather).'],
    ['[{"day":1,"sky":"clear"},{"day":2,"sky":"dark"}]', '- day: 1, sky: clear\n- day: 2, sky: dark'],
    ['["rain","sun"]', '- rain\n- sun'],
    ['Sunny', 'getWeather: Sunny'],
    ['42', 'getWeather: 42'],
    ['123456789012345678901', 'getWeather: 123456789012345678901'],
    ['done', 'Done: getWeather (city: Paris).'],
    ['null', 'getWeather found nothing for city: Paris.'],
    ['no result', 'getWeather found nothing for city: Paris.'],
  ])('are shown as they are: %s', async (content, shown) => {
    expect(await answer(content)).toContain(shown)
  })

  it('are shown by the field that the question names', async () => {
    const question = 'How warm is it in Paris, weather please?'
    expect(await answer('{"temperature":21,"sky":"clear"}', {}, question)).toBe('temperature: 21 (from getWeather).')
  })

  it('are failures with the message of the tool', async () => {
    expect(await answer('The service is down', { isError: true })).toBe(
      'The tool getWeather failed: The service is down.',
    )
  })

  it('are not asked for twice', async () => {
    const failing = tool({
      ...{ name: 'getWeather', description: 'The weather of a city.', input: weather.inputSchema },
      execute: () => {
        throw new Error('It is down')
      },
    })
    const { steps } = await new Agent({ name: 'Test', functions: [failing], model }).stream('weather in Paris').result
    expect(steps).toBe(2)
  })
})

describe('the files of an agent', () => {
  const files = [
    spec('search_files', 'Finds passages.', { query: text }),
    spec('read_file', 'Reads a file.', { file: text }),
    { name: 'list_files', description: 'Lists the files.', inputSchema: { type: 'object', properties: {} } },
  ]

  it('are searched where no other tool fits, with related words beside few', async () => {
    const calls = await callsFor('How much vacation do I get?', [weather, ...files])
    expect(calls).toMatchObject([{ name: 'search_files', input: { query: 'vacation holiday leave' } }])
  })

  it('are not searched where another tool fits, or lacks an argument', async () => {
    expect(await callsFor('weather in Paris', [weather, ...files])).toMatchObject([{ name: 'getWeather' }])
    expect(await callsFor("What's the weather?", [weather, ...files])).toEqual([])
  })

  it('are not looked up with tools of the same names that need something else', async () => {
    const own = [spec('search_files', 'Searches files.', { pattern: text, folder: text }), ...files.slice(1)]
    expect(await callsFor('How many days of holidays are there?', own)).toEqual([])
    const messages = [user('Search files'), ...called('search_files', '{"lines":3}')]
    expect(await answerTo({ messages, tools: own })).toContain('lines: 3 (from search_files).')
  })

  it.each(['Hello', 'Thanks', 'What can you do?', 'My dog is called Rex', 'Do not do that'])(
    'are not searched for: %s',
    async (message) => {
      expect(await callsFor(message, files)).toEqual([])
    },
  )

  it.each([
    ['[1] notes.txt\nThe office dog is called Bello', '"The office dog is called Bello" (notes.txt)'],
    ['[1] notes.txt\nOffice rules\n\nThe dog is called Bello', '"The dog is called Bello" (notes.txt)'],
    ['[1] a.md, "Dogs"\n# The office dog is called Bello', '"The office dog is called Bello" (a.md, "Dogs")'],
  ])('are quoted where their text is a line without an end: %j', async (content, quote) => {
    const functions = files.map(({ inputSchema: input, ...rest }) => tool({ ...rest, input, execute: () => content }))
    const agent = new Agent({ name: 'Test', functions, model })
    expect(await agent.chat('What is the office dog called?')).toContain(quote)
  })

  it.each([
    ['秘密代码是什么？', '秘密代码是7421。天气很好。', '"秘密代码是7421。"'],
    ['秘密のコードは何ですか？', '秘密のコードは7421です。', '"秘密のコードは7421です。"'],
    ['รหัสลับคืออะไร', 'รหัสลับคือ 7421', '"รหัสลับคือ 7421"'],
    [
      'Who opened the museum?',
      'The museum was opened by Ms. Ortega. It is free.',
      '"The museum was opened by Ms. Ortega."',
    ],
  ])('are quoted by the words of the question: %s', async (question, content, quote) => {
    const execute = (): string => `[1] notes.txt\n${content}`
    const functions = files.map(({ inputSchema: input, ...rest }) => tool({ ...rest, input, execute }))
    expect(await new Agent({ name: 'Test', functions, model }).chat(question)).toContain(`${quote} (notes.txt)`)
  })

  it('are named in an overview, with unreadable files and the number of further ones', async () => {
    const list = `${Array.from({ length: 10 }, (_, at) => `${at}.md: 10 characters`).join('\n')}\na.doc: cannot be read: old.`
    const messages: Message[] = [user('Summarise the files'), ...called('list_files', list)]
    const reads = (await messageOf({ messages, tools: files })).content
    expect(reads).toHaveLength(8)
    const results = reads.flatMap((part): Message[] => {
      if (part.type !== 'tool-call') return []
      const { file } = part.input as { file: string }
      return [{ role: 'tool', callId: part.callId, name: 'read_file', content: `${file}\n\nThe sky is blue.` }]
    })
    const answer = await answerTo({
      messages: [...messages, { role: 'assistant', content: reads }, ...results],
      tools: files,
    })
    expect(answer).toContain('- 0.md: "The sky is blue."')
    expect(answer).toContain('- a.doc: cannot be read: old.\nThere are 2 more files.')
  })
})

describe('a form', () => {
  const person = spec('', '', { name: text, age: { type: 'integer' } }).inputSchema

  it('is filled from the message', async () => {
    const request = { messages: [user('Ada Lovelace is 36 years old')], output: person }
    expect(JSON.parse(await answerTo(request))).toEqual({ name: 'Ada Lovelace', age: 36 })
  })

  it('is filled from the results of a tool', async () => {
    const output = spec('', '', { temperature: number }).inputSchema
    const messages = [user('weather in Paris'), ...called('getWeather', '{"temperature":21}')]
    expect(await answerTo({ messages, tools: [weather], output })).toBe('{"temperature":21}')
  })

  it('ends in unsupported where a value is nowhere, and names it', async () => {
    const ended = answerTo({ messages: [user('Hello')], output: person })
    await expect(ended).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('"age"') })
  })
})
