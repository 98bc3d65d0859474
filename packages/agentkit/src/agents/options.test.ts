import type { RunOptions } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SDKContext } from '../config/sdk-context.ts'
import type { ServeOptions } from '../serve/serve-agent.ts'
import { Agent } from './agent.ts'
import type { AgentOptions, SwarmOptions } from './options.ts'
import { Swarm } from './swarm.ts'

beforeEach(() => {
  vi.stubEnv('LLMPROVIDER_API_KEY', '')
  vi.stubEnv('OPENAI_API_KEY', '')
})
afterEach(() => vi.unstubAllEnvs())

it.each<[string, object | undefined, RegExp]>([
  ['no options', undefined, /needs a name/],
  [
    'a misspelt option',
    { modle: 'gpt-5' },
    /^Unknown option `modle`\. Did you mean `model`\? Known: name, functions, .*, retriever\.$/,
  ],
  ['an option of its own', { zzz: 1 }, /^Unknown option `zzz`\. Known: name, /],
  ['the word of another library', { tools: [] }, /^Unknown option `tools`\. `tools` is `functions` here\.$/],
  ['a model of the AI SDK', { model: { specificationVersion: 'v3', doStream() {} } }, /Pass `fromAISDK\(model\)`/],
  ['a setting that is given twice', { reasoning: 'low', modelSettings: { reasoning: 'low' } }, /Leave one of them out/],
  ['an empty list of models', { model: [] }, /`model` is a name/],
  ['a list of other things', { model: ['gpt-5', 3] }, /`model` is a name/],
  ['a Model without an id', { model: { async *stream() {} } }, /A Model of your own has an `id`/],
  ['a store that is none', { sessions: 5 }, /path of a file, postgres:\/\/…, or a SessionStore/],
  ['a context that is none', { sdkContext: {} }, /new SDKContext/],
  ['a flag that is none', { enableMultiModal: 'yes' }, /true or false/],
  [
    'a misspelt figure of the budget',
    { budget: { maxTokens: 1 } },
    /`budget\.maxTokens`\. Did you mean `budget\.tokens`\?/,
  ],
  ['a misspelt option of retries', { retry: { atempts: 1 } }, /Did you mean `retry\.attempts`\?/],
  ['a misspelt option of the guard', { guard: { stopat: 9 } }, /Did you mean `guard\.stopAt`\?/],
])('refuses %s with the fix', (_name, options, problem) => {
  const given = options && { name: 'Test', functions: [], ...options }
  expect(() => new Agent(given as never)).toThrow(problem)
})

it.each<[string, unknown, RegExp]>([
  ['a bare function', [function lookUp() {}], /"lookUp" carries no schema/],
  ['functions that are not a list', 5, /`functions` is a list/],
])('reports %s before a missing key', (_name, functions, problem) => {
  expect(() => new Agent({ name: 'Test', functions } as never)).toThrow(problem)
})

it.each<[string, unknown]>([
  [
    'of a class',
    new (class {
      async retrieve(input: string) {
        return `About ${input}`
      }
    })(),
  ],
  ['with a method', { retrieve: async () => 'About it' }],
  ['that is a map', new Map()],
  ['that is a list', []],
])('reads no files for a retriever of another library %s', (_name, retriever) => {
  const options = { name: 'Test', model: scriptedModel([]), sessions: ':memory:', retriever: retriever as object }
  expect(() => new Agent(options)).toThrow('A search of your own is a tool in `functions`.')
})

it('requires a key when nothing else is wrong', () => {
  expect(() => new Agent({ name: 'Test', functions: [] })).toThrow(expect.objectContaining({ code: 'missing-key' }))
})

it('takes an option that is undefined as one that is left out', async () => {
  const absent = {
    ...{ functions: undefined, id: undefined, instruction: undefined, hooks: undefined, budget: undefined },
    ...{ output: undefined, guard: undefined, retry: undefined, memory: undefined, retrieve: undefined },
    ...{ configPath: undefined, sdkContext: undefined, maxSteps: undefined, onRunEnd: undefined, onBusy: undefined },
  }
  // Compiled with `exactOptionalPropertyTypes`.
  const options: AgentOptions = { ...absent, name: 'Test', model: scriptedModel(['Hi.']), sessions: ':memory:' }
  const agent = new Agent(options)
  expect(agent.id).toBe('test')
  expect(await agent.chat('Hello')).toBe('Hi.')
  const team: SwarmOptions = { ...options, model: undefined, agents: [agent], collaboration: 'sequence' }
  expect(new Swarm(team).members.map(({ id }) => id)).toEqual(['test'])
})

describe('a misspelt option', () => {
  const model = scriptedModel([])
  const members = [new Agent({ name: 'Member', functions: [], model, sessions: ':memory:' })]
  const runnables: [string, { chat: Agent['chat']; stream: Agent['stream']; resume: Agent['resume'] }][] = [
    ['an agent', new Agent({ name: 'Test', functions: [], model, sessions: ':memory:' })],
    ['a swarm', new Swarm({ name: 'Team', agents: members, collaboration: 'sequence', sessions: ':memory:' })],
  ]

  it.each(runnables)('of a run of %s is refused with the nearest one', async (_name, agent) => {
    const refusal = expect.objectContaining({
      code: 'invalid-argument',
      message:
        'Unknown option `user_id`. Did you mean `userId`? Known: userId, sessionId, signal, timeoutMs, budget, history, replaces, resumable, clientTools, onApproval.',
    })
    const options = { user_id: 'ada', session_id: 'first' } as RunOptions
    await expect(agent.chat('Hello', options)).rejects.toEqual(refusal)
    expect(() => agent.stream('Hello', options)).toThrow(refusal)
    expect(() => agent.resume('run_1', {}, options)).toThrow(refusal)
    await expect(agent.chat('Hello', { sessionID: 'first' } as RunOptions)).rejects.toThrow('`sessionId`?')
    expect(model.requests).toEqual([])
  })

  it('of run() is refused with the nearest one', async () => {
    const agent = new Agent({ name: 'Test', functions: [], model, sessions: ':memory:' })
    await expect(agent.run({ hots: '127.0.0.1', port: 0 } as ServeOptions)).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringMatching(/^Unknown option `hots`\. Did you mean `host`\? Known: host, port, auth, /),
    })
  })

  it('is no question to run()', async () => {
    const agent = new Agent({ name: 'Test', model, sessions: ':memory:' })
    await expect(agent.run('What is the weather?' as never)).rejects.toThrow('For an answer call `agent.chat("…")`')
    await expect(agent.run({ prompt: 'Hello' } as never)).rejects.toThrow('For an answer call `agent.chat("…")`')
    const messages = [{ role: 'user', content: 'Hello' }]
    await expect(agent.run(messages as never)).rejects.toThrow('For an answer call `agent.chat("…")`')
  })

  it('of a swarm is answered in its words', () => {
    const options = { name: 'Team', agents: members, handoffs: members }
    expect(() => new Swarm(options)).toThrow('`handoffs` is `agents` with `collaboration: "handoff"` here.')
  })

  it('of a context is refused with the nearest one', () => {
    expect(() => new SDKContext({ config_path: 'a.toml' } as object)).toThrow('Did you mean `configPath`?')
  })
})
