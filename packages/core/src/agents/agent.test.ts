import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import {
  Agent,
  AgentKitError,
  type AgentMemory,
  type AgentOptions,
  type InputPart,
  type Model,
  type ModelInfo,
  memorySessions,
  type RunOptions,
  Swarm,
  tool,
} from '../index.ts'

const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => 'acted' })
const callAct: ScriptedTurn = { toolCalls: [{ name: 'act' }] }

describe('an agent', () => {
  it('has the values of its options', async () => {
    const sessions = memorySessions()
    const samplePrompts = ['Hello']
    const budget = { tokens: 5 }
    const agent = new Agent({
      name: 'Research Team',
      description: 'Knows.',
      functions: [],
      model: scriptedModel([]),
      sessions,
      samplePrompts,
      version: '7',
      budget,
    })
    samplePrompts.push('changed')
    budget.tokens = 1
    expect(agent).toMatchObject({
      id: 'research-team',
      name: 'Research Team',
      description: 'Knows.',
      samplePrompts: ['Hello'],
      version: '7',
      budget: { tokens: 5 },
      members: [],
      tools: [],
      acceptsImages: true,
    })
    expect(agent.sessions).toBe(sessions)
    await agent.close()
  })

  it('accepts an id', () => {
    expect(new Agent({ name: '42', id: 'answer', functions: [], model: scriptedModel([]) }).id).toBe('answer')
  })

  it('has its own session store by default', () => {
    const make = (): Agent => new Agent({ name: 'Test', functions: [], model: scriptedModel([]) })
    expect(make().sessions).not.toBe(make().sessions)
  })

  it.each<[string, object]>([
    ['no name', { name: '' }],
    ['a name that makes no id', { name: '!!!' }],
    ['no model', { model: undefined }],
    ['the name of a model', { model: 'openai/gpt-5' }],
    ['one function', { functions: act }],
    ['no steps', { maxSteps: 0 }],
    ['steps that are no number', { maxSteps: Number.NaN }],
    ['a step and a half', { maxSteps: 1.5 }],
    ['more time than a timer can wait', { toolTimeoutMs: 2 ** 31 }],
    ['endless time', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['negative time for tools', { toolTimeoutMs: -1 }],
    ['no time', { timeoutMs: 0 }],
    ['a temperature that is not a number', { temperature: 'low' }],
    ['an effort that does not exist', { reasoning: 'huge' }],
    ['no tokens', { maxOutputTokens: 0 }],
    ['no days for approvals', { approvalDays: 0 }],
    ['too many days for approvals', { approvalDays: 366 }],
  ])('refuses %s', (_name, wrong) => {
    const options = { name: 'Test', functions: [], model: scriptedModel([]), ...wrong }
    expect(() => new Agent(options as AgentOptions)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })
})

describe('the settings of the model', () => {
  it('are options of the agent, beside modelSettings', async () => {
    const model = scriptedModel(['Done.'])
    const settings = { temperature: 0.2, reasoning: 'low', maxOutputTokens: 99 } as const
    await new Agent({ name: 'Test', model, ...settings, modelSettings: { stop: ['END'] } }).chat('Go')
    expect(model.requests[0]).toMatchObject({ ...settings, stop: ['END'] })
    expect(model.requests[0]).not.toHaveProperty('tools')
  })

  it.each(['temperature', 'maxOutputTokens'])('are given once: %s', (name) => {
    const options = { name: 'Test', model: scriptedModel([]), [name]: 1, modelSettings: { [name]: 2 } }
    const refusal = expect.objectContaining({
      code: 'invalid-config',
      message: `\`${name}\` is an option and in \`modelSettings\` too. Leave one of them out.`,
    })
    expect(() => new Agent(options)).toThrow(refusal)
    expect(() => new Swarm({ ...options, agents: [] })).toThrow(refusal)
  })
})

describe('chat()', () => {
  it('takes options that are undefined as left out, except the user', async () => {
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['Hi.']) })
    const none: Omit<RunOptions, 'userId'> = {
      ...{ sessionId: undefined, signal: undefined, timeoutMs: undefined, budget: undefined, onApproval: undefined },
      ...{ history: undefined, replaces: undefined, clientTools: undefined, resumable: undefined },
    }
    expect(await agent.chat('Hi.', none)).toBe('Hi.')
    // @ts-expect-error a user that is not known has no session, not that of the user "default"
    const _: RunOptions = { userId: undefined }
  })

  it.each<[string, ScriptedTurn[], number | undefined, string]>([
    ['stop', ['Done.'], undefined, 'Done.'],
    ['length', [{ text: 'Half', finishReason: 'length' }], undefined, 'Half'],
    ['content-filter', [{ text: 'I cannot.', finishReason: 'content-filter' }], undefined, 'I cannot.'],
    ['content-filter without text', [{ finishReason: 'content-filter' }], undefined, ''],
    ['max-steps with text', [{ text: 'So far', toolCalls: [{ name: 'act' }] }], 1, 'So far'],
  ])('returns the text after %s', async (_name, turns, maxSteps, text) => {
    const agent = new Agent({
      name: 'Test',
      functions: [act],
      model: scriptedModel(turns),
      ...(maxSteps && { maxSteps }),
    })
    expect(await agent.chat('Go')).toBe(text)
  })

  it('throws when the run ends with max-steps and without text', async () => {
    const agent = new Agent({ name: 'Test', functions: [act], model: scriptedModel([callAct]), maxSteps: 1 })
    await expect(agent.chat('Go')).rejects.toMatchObject({
      code: 'max-steps',
      runId: expect.stringMatching(/^run_/),
      usage: { totalTokens: 15 },
    })
  })

  it.each<[string, Error, string]>([
    ['of the model', new AgentKitError('overloaded', 'Busy.', { status: 503, retryable: true }), 'overloaded'],
    ['that is not ours', new TypeError('x is not a function'), 'provider-error'],
  ])('throws an error %s, with the run and its usage', async (_name, thrown, code) => {
    const model = scriptedModel([callAct, thrown])
    const agent = new Agent({ name: 'Test', functions: [act], model, retry: { attempts: 1 } })
    await expect(agent.chat('Go')).rejects.toMatchObject({
      name: 'AgentKitError',
      code,
      runId: expect.stringMatching(/^run_/),
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    })
  })

  it('throws a copy of an error that two runs share', async () => {
    const shared = Object.freeze(new AgentKitError('quota', 'Spent.'))
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel([shared, shared]) })
    const [first, second] = await Promise.all([failure(agent.chat('1')), failure(agent.chat('2'))])
    expect(first).not.toBe(shared)
    expect(first.runId).not.toBe(second.runId)
    expect(shared.runId).toBeUndefined()
  })

  it('throws when its run is aborted', async () => {
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['a']) })
    await expect(agent.chat('Go', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
  })

  it('rejects an invalid message; stream() throws', async () => {
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['a']) })
    const wrong: [string | InputPart[], RunOptions][] = [
      ['', {}],
      [[], {}],
      ['Go', { timeoutMs: 0 }],
      ['Go', { timeoutMs: -5 }],
      ['Go', { timeoutMs: 2 ** 31 }],
      ['Go', { history: [{ role: 'tool', callId: 'a', name: 'act', content: 'no call' }] }],
    ]
    for (const [input, options] of wrong) {
      await expect(agent.chat(input, options)).rejects.toMatchObject({ code: 'invalid-argument' })
      expect(() => agent.stream(input, options)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    }
  })

  it('sends parts', async () => {
    const model = scriptedModel(['A cat.'])
    const agent = new Agent({ name: 'Test', functions: [], model })
    await agent.chat([
      { type: 'text', text: 'What is this?' },
      { type: 'image', data: Uint8Array.from([0x89, 0x50, 0x4e, 0x47]) },
    ])
    expect(model.requests[0]?.messages.at(-1)?.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image', base64: 'iVBORw==', mediaType: 'image/png' },
    ])
  })

  it('keeps no events: a long answer uses only the memory of its text', async () => {
    const text = 'x'.repeat(1_000_000)
    const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel([{ text, deltas: 1000 }]) })
    expect(await agent.chat('Go')).toHaveLength(text.length)
  })

  it('can be called many times in parallel', async () => {
    const model: Model = scriptedModel(
      Array.from(
        { length: 100 },
        (): ScriptedTurn =>
          ({ messages }) =>
            `re: ${messages.at(-1)?.content}`,
      ),
    )
    const agent = new Agent({ name: 'Test', functions: [], model })
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => agent.chat(`${index}`)))
    expect(answers).toEqual(Array.from({ length: 100 }, (_, index) => `re: ${index}`))
  })
})

async function failure(chat: Promise<string>): Promise<AgentKitError> {
  return chat.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: AgentKitError) => error,
  )
}

describe('a value that TypeScript rejects', () => {
  const model = scriptedModel(['Hello.'])

  it.each<[string, object | undefined, RegExp]>([
    ['no options', undefined, /needs a name/],
    [
      'an instruction that is a function',
      { instruction: () => 'Be brief.' },
      /`instruction` is a text. For another one in each run, create an agent per request, or .*beforeModel/,
    ],
    ['an instruction that is not text', { instruction: 5 }, /`instruction` is a text/],
    ['a sample prompt that is not a list', { samplePrompts: 'abc' }, /`samplePrompts` is a list/],
    ['a model without an id', { model: { async *stream() {} } }, /`model` has no `id`/],
    ['a store that is none', { sessions: 5 }, /`sessions` is a SessionStore/],
    ['the path of a store', { sessions: 'sessions.db' }, /or sqliteSessions\(path\) of @agentkit\/sessions\.$/],
  ])('is refused with the fix: %s', (_name, options, problem) => {
    const given = options && { name: 'Test', functions: [], model, ...options }
    expect(() => new Agent(given as never)).toThrow(problem)
  })

  it.each<[string, unknown, RegExp]>([
    ['no object', null, /as an object/],
    ['a session without a name', { sessionId: '' }, /`sessionId` is a text that is not empty/],
    ['a session by number', { sessionId: 5 }, /`sessionId`/],
    ['a user without a name', { userId: '' }, /`userId`/],
    ['a signal that is none', { signal: {} }, /AbortSignal/],
  ])('is refused as a run option: %s', async (_name, options, problem) => {
    const agent = new Agent({ name: 'Test', functions: [], model })
    await expect(agent.chat('Hi', options as never)).rejects.toThrow(problem)
  })
})

it.each(['agent', 'handoff'])('reads the notes of a memory that is an object of a class: %s', async (kind) => {
  class Diary implements AgentMemory {
    readonly tools = []
    readonly #text = 'Ann likes tea.'
    async promptNotes() {
      return this.#text
    }
    async search() {
      return []
    }
    async notes() {
      return []
    }
    async delete() {}
  }
  const model = scriptedModel(['Hello.'])
  const memory = (): AgentMemory => new Diary()
  const agent = new Agent({ name: 'Test', functions: [], model, ...(kind === 'agent' && { memory }) })
  const swarm = new Swarm({ name: 'Team', agents: [agent], collaboration: 'handoff', memory })
  await (kind === 'agent' ? agent : swarm).chat('Hi')
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('Ann likes tea.')
})

it.each<[string, unknown, RegExp]>([
  ['a price without numbers', { price: {} }, /"test\/own" cannot be used: `price` needs `inputUsdPerMillion`/],
  [
    'a price that is none',
    { price: { inputUsdPerMillion: '1', outputUsdPerMillion: 2 } },
    /`price\.inputUsdPerMillion`/,
  ],
  ['a window in words', { contextWindow: 'x' }, /`contextWindow` is a number of tokens above 0/],
  ['images that give tokens back', { imageTokens: -1 }, /`imageTokens` is a number of tokens from 0/],
  ['an unknown word', { nativeOutput: 'sometimes' }, /`nativeOutput` is "always"/],
  ['no object', 'large', /is an object/],
])('refuses a model whose info has %s', (_what, info, words) => {
  const model = {
    id: 'test/own',
    info: info as ModelInfo,
    stream: () => scriptedModel([]).stream({ messages: [] }, never),
  }
  expect(() => new Agent({ name: 'Test', functions: [], model })).toThrow(words)
})

it('takes a model that counts no tokens for images', () => {
  const model = scriptedModel([], { info: { imageTokens: 0 } })
  expect(() => new Agent({ name: 'Test', functions: [], model })).not.toThrow()
})

const never = new AbortController().signal
