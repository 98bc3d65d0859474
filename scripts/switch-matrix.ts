import {
  Agent,
  type AssistantMessage,
  type Message,
  type ModelRequest,
  memorySessions,
  type ToolSpec,
} from '@agentkit/core'
import { type FakeTurn, fakeProvider } from '@agentkit/testing'
import { type KnownProvider, knownProviders } from './providers-under-test.ts'

/** A conversation that is continued with another provider, and what must be in the request. */
type Kind = {
  title: string
  about: string
  /** The answers of the first provider, in order; the results of its calls follow each. */
  turns: FakeTurn[]
  /** Words that the request to the second provider must contain, in the order in which they may be omitted. */
  arrives: string[]
  /** A word in the data that only its owner reads. */
  mayLack?: [what: string, word: string][]
  request: Partial<ModelRequest>
  reasons?: true
}

const weather: ToolSpec = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const inCity = (city: string) => ({ name: 'weather', input: { city } })
/** One red pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const question: Message = { role: 'user', content: 'How is the weather?' }

const kinds: Kind[] = [
  {
    title: 'text',
    about: 'A plain conversation.',
    turns: ['It is sunny.'],
    arrives: ['It is sunny.'],
    request: { messages: [question] },
  },
  {
    title: 'tools',
    about: 'A tool call and its result.',
    turns: [{ text: 'I look.', toolCalls: [inCity('Oslo')] }, 'It is sunny.'],
    arrives: ['I look.', 'Oslo', 'Result 1', 'It is sunny.'],
    request: { messages: [question], tools: [weather] },
  },
  {
    title: 'parallel tools',
    about: 'Three calls in one answer, and the switch before the model has seen their results.',
    turns: [{ toolCalls: [inCity('Oslo'), inCity('Rome'), inCity('Bonn')] }],
    arrives: ['Oslo', 'Rome', 'Bonn', 'Result 1', 'Result 2', 'Result 3'],
    request: { messages: [question], tools: [weather] },
    // Reasoning models are strictest about the calls that a request answers.
    reasons: true,
  },
  {
    title: 'reasoning',
    about: 'Reasoning with its signatures, before a tool call and before an answer.',
    turns: [
      { reasoning: 'I should look.', toolCalls: [inCity('Oslo')] },
      { reasoning: 'So it is.', text: 'It is sunny.' },
    ],
    arrives: ['Oslo', 'Result 1', 'It is sunny.'],
    mayLack: [['reasoning', 'I should look.']],
    request: { messages: [question], tools: [weather], reasoning: 'medium' },
    reasons: true,
  },
  {
    title: 'image',
    about: 'An image that the user sent.',
    turns: ['A red pixel.'],
    arrives: ['A red pixel.'],
    mayLack: [['image', png]],
    request: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image', base64: png, mediaType: 'image/png' },
          ],
        },
      ],
    },
  },
  {
    title: 'structured',
    about: 'An answer that follows a JSON Schema, asked for again.',
    turns: [{ text: '{"city":"Oslo"}' }],
    arrives: ['Oslo'],
    request: { messages: [question], output: weather.inputSchema },
  },
]

/** The outcome of a conversation at its second provider. */
export type Cell = { from: string; to: string; kind: string; error?: unknown; missing: string[]; leftOut: string[] }

/** Continues each conversation of each provider with each other one, on servers that refuse what the real ones do. */
export async function switchCells(): Promise<Cell[]> {
  const cells: Cell[] = []
  for (const kind of kinds) {
    for (const from of Object.keys(knownProviders)) {
      for (const to of Object.keys(knownProviders)) cells.push(await switchOnce(kind, from, to))
    }
  }
  return cells
}

async function switchOnce(kind: Kind, from: string, to: string): Promise<Cell> {
  const cell: Cell = { from, to, kind: kind.title, missing: [], leftOut: [] }
  try {
    const messages = await begin(kind, known(from))
    await using server = await fakeProvider(known(to).wire, ['Carried on.'])
    const { text } = await answer(known(to), server.url, kind, {
      ...kind.request,
      messages: [...messages, next(messages)].flat(),
    })
    const sent = JSON.stringify(server.requests[0]?.body)
    cell.missing = kind.arrives.filter(
      (word) => !sent.includes(word) && !sent.includes(JSON.stringify(word).slice(1, -1)),
    )
    if (text !== 'Carried on.') cell.missing.push('the answer')
    const carried = (word: string): boolean => [word, ...secretsIn(messages)].some((one) => sent.includes(one))
    for (const [what, word] of kind.mayLack ?? []) if (!carried(word)) cell.leftOut.push(what)
  } catch (error) {
    cell.error = error
  }
  return cell
}

/** A conversation as the first provider returns it. */
async function begin(kind: Kind, provider: KnownProvider): Promise<Message[]> {
  await using server = await fakeProvider(provider.wire, kind.turns)
  const messages = [...(kind.request.messages ?? [])]
  let results = 0
  for (const _turn of kind.turns) {
    const { message } = await answer(provider, server.url, kind, { ...kind.request, messages })
    messages.push(message)
    for (const part of message.content) {
      if (part.type === 'tool-call')
        messages.push({ role: 'tool', callId: part.callId, name: part.name, content: `Result ${++results}` })
    }
  }
  return messages
}

/** Provider data of the model that created it, in place of reasoning that is not sent back as text. */
function secretsIn(messages: readonly Message[]): string[] {
  const texts = (value: unknown): string[] => {
    if (typeof value === 'string') return value.length >= 8 ? [value] : []
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
  }
  const parts = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  return parts.flatMap(({ opaque }) => texts(opaque?.data))
}

/** After results the conversation is sent as it is; after an answer, the user continues. */
function next(messages: readonly Message[]): Message[] {
  return messages.at(-1)?.role === 'tool' ? [] : [{ role: 'user', content: 'And tomorrow?' }]
}

async function answer(
  { make, models }: KnownProvider,
  url: string,
  { reasons }: Kind,
  request: Partial<ModelRequest>,
): Promise<{ text: string; message: AssistantMessage }> {
  const model = make({ url, apiKey: 'test-key' }).model(reasons ? models.reasoning : models.usual)
  let text = ''
  // Without native output, core uses a tool.
  const { output, ...plain } = request
  const asked = model.info?.nativeOutput === 'never' ? plain : request
  void output
  for await (const event of model.stream({ messages: [], ...asked }, new AbortController().signal)) {
    if (event.type === 'text-delta') text += event.text
    if (event.type === 'finish') return { text, message: event.message }
  }
  throw new Error('It did not finish.')
}

/** Runs an agent whose first model fails after a tool call, so that the second takes over during the run. */
export async function fallBack(
  from: string,
  to: string,
): Promise<{ text: string; finishReason: string; calls: number }> {
  const first: FakeTurn[] = [{ text: 'I look.', toolCalls: [inCity('Oslo'), inCity('Rome')] }, { status: 404 }]
  await using firstServer = await fakeProvider(known(from).wire, first)
  await using secondServer = await fakeProvider(known(to).wire, ['It is sunny.'])
  let calls = 0
  const agent = new Agent({
    name: 'Switcher',
    model: [
      known(from).make({ url: firstServer.url, apiKey: 'test-key' }).model(known(from).models.reasoning),
      known(to).make({ url: secondServer.url, apiKey: 'test-key' }).model(known(to).models.usual),
    ],
    functions: [{ ...weather, execute: () => `Result ${++calls}` }],
    sessions: memorySessions(),
  })
  const { text, finishReason, error } = await agent.stream('How is the weather?').result
  if (error) throw error
  return { text, finishReason, calls }
}

/** The cells as a page of the documentation. */
export function switchPage(cells: readonly Cell[]): string {
  const names = Object.keys(knownProviders)
  const tables = kinds.map(({ title, about }) => {
    const row = (from: string): string => {
      const cell = (to: string): string =>
        mark(cells.find((one) => one.kind === title && one.from === from && one.to === to))
      return `| **${from}** | ${names.map(cell).join(' | ')} |`
    }
    return [
      `## ${title[0]?.toUpperCase()}${title.slice(1)}`,
      about,
      '',
      `| from \\ to | ${names.join(' | ')} |`,
      `|---${'|---'.repeat(names.length)}|`,
      ...names.map(row),
      '',
    ].join('\n')
  })
  return `${intro}\n${tables.join('\n')}`
}

function mark(cell: Cell | undefined): string {
  if (!cell || cell.error || cell.missing.length > 0) return '✗'
  return cell.leftOut.length > 0 ? `✓ without its ${cell.leftOut.join(', ')}` : '✓'
}

const intro = `# Switching models

Generated by \`npm test -- switch-matrix --update\`, and checked by \`npm test\`: each cell is a conversation that begins
with the provider on the left and continues with the one above, on fake servers that refuse what the real ones refuse.

✓ means that everything arrived. Only the model that created reasoning and signatures receives them again. An image that a
model cannot read becomes a line of text that says so.
`

function known(name: string): KnownProvider {
  const provider = knownProviders[name]
  if (!provider) throw new Error(`There is no provider "${name}".`)
  return provider
}
