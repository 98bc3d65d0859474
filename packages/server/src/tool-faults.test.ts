import { type AgentOptions, type Tool, tool } from '@agentkit/core'
import type { ScriptedTurn } from '@agentkit/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { expectHealthy } from './__fixtures__/requests.ts'
import { ask, eventsIn, type SentEvent, storedAgents } from './__fixtures__/stored-agent.ts'
import type { AgentServer } from './listen.ts'
import { serve } from './serve.ts'

const storedAgent = storedAgents()
const servers: AgentServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const secret = 'sk-1234567890abcdef at /etc/shadow'
const useTool: ScriptedTurn = { toolCalls: [{ name: 'act' }] }
const act = (execute: Tool['execute'], more: object = {}): Tool =>
  tool({ name: 'act', description: 'Does it.', input: { type: 'object' }, execute, ...more })

type Answered = {
  body: string
  events: SentEvent[]
  results: Record<string, unknown>[]
  history: { message: string }[]
}

/** Asks a served agent by a stream, and reads its history afterwards. */
async function answer(turns: readonly ScriptedTurn[], options: Partial<AgentOptions>): Promise<Answered> {
  const { agent } = storedAgent(turns, options)
  const server = await serve(agent, { port: 0, log: () => {} })
  servers.push(server)
  const body = await (await fetch(`${server.url}/api/v1/chat_stream`, ask('Go'))).text()
  const history = await (await fetch(`${server.url}/api/v1/chat_history?user_id=ada&session_id=first`)).json()
  await expectHealthy(server.url)
  const events = eventsIn(body)
  const results = events.filter(({ type }) => type === 'tool-result').map(({ data }) => data)
  return { body, events, results, history }
}

const done = { type: 'run-end', finishReason: 'stop', text: 'Done.' }

describe('a tool that fails', () => {
  it.each<[string, Tool['execute']]>([
    [
      'throws an error',
      () => {
        throw new Error(secret)
      },
    ],
    ['rejects', () => Promise.reject(new Error(secret))],
    ['rejects with a text', () => Promise.reject(secret)],
    ['rejects with nothing', () => Promise.reject()],
    ['rejects with an object', () => Promise.reject({ secret })],
    [
      'throws a proxy',
      () => {
        throw new Proxy(
          {},
          {
            get() {
              throw new Error(secret)
            },
          },
        )
      },
    ],
  ])('F13 because it %s is an error for the model, and none of its text leaves', async (_how, execute) => {
    const { body, events, results, history } = await answer([useTool, 'Done.'], { functions: [act(execute)] })
    expect(events.at(-1)?.data).toMatchObject(done)
    expect(results).toMatchObject([{ name: 'act', isError: true }])
    expect(body + JSON.stringify(history)).not.toContain('/etc/shadow')
  })

  it('F14 because it hangs is a timeout for the model', async () => {
    const functions = [act(() => new Promise(() => {}), { timeoutMs: 30 })]
    const { events, results } = await answer([useTool, 'Done.'], { functions })
    expect(events.at(-1)?.data).toMatchObject(done)
    expect(results).toMatchObject([{ isError: true }])
  })
})

describe('a tool that returns', () => {
  const circular: { self?: object } = {}
  circular.self = circular

  it.each<[string, unknown]>([
    ['10 MB', 'x'.repeat(10_000_000)],
    ['a circle', circular],
    ['a BigInt', { wei: 10n }],
    ['nothing', undefined],
    ['a Buffer', Buffer.from('bytes')],
    ['a function', () => {}],
    [
      'an object whose getter throws',
      {
        get bad() {
          throw new Error(secret)
        },
      },
    ],
  ])('F15 %s ends the run as usual, with an event of bounded size', async (_what, value) => {
    const { body, events, results, history } = await answer([useTool, 'Done.'], { functions: [act(() => value)] })
    expect(events.at(-1)?.data).toMatchObject(done)
    expect(results).toHaveLength(1)
    expect(body.length).toBeLessThan(600_000)
    expect(body).not.toContain('/etc/shadow')
    expect(history.map(({ message }) => message)).toEqual(['Go', 'Done.'])
  })
})

describe('a model that calls', () => {
  const calls: unknown[] = []
  const functions = [
    act((input) => calls.push(input), {
      input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    }),
  ]
  const call = (n: unknown, name = 'act') => ({ name, input: { n } }) as const
  afterEach(() => void calls.splice(0))

  it.each<[string, ReturnType<typeof call>]>([
    ['an unknown tool', call(1, 'nothing')],
    ['a tool with invalid arguments', call('one')],
    ['a tool named __proto__', call(1, '__proto__')],
  ])('F16 %s receives an error and continues', async (_what, wrong) => {
    const turns: ScriptedTurn[] = [{ toolCalls: [wrong] }, 'Done.'] as ScriptedTurn[]
    const { events, results } = await answer(turns, { functions })
    expect(events.at(-1)?.data).toMatchObject(done)
    expect(results).toMatchObject([{ isError: true }])
    expect(calls).toEqual([])
  })

  it('F16 100 tools at once has each of them executed once', async () => {
    const turn = { toolCalls: Array.from({ length: 100 }, (_, n) => call(n)) } as ScriptedTurn
    const { events, results } = await answer([turn, 'Done.'], { functions })
    expect(events.at(-1)?.data).toMatchObject(done)
    expect(results).toHaveLength(100)
    expect(calls).toHaveLength(100)
  })

  it('F16 one tool after another without end is stopped', async () => {
    const turns = Array.from({ length: 30 }, (_, n) => ({ toolCalls: [call(n)] })) as ScriptedTurn[]
    const { events } = await answer(turns, { functions, maxSteps: 5 })
    expect(events.at(-1)?.data).toMatchObject({ type: 'run-end', finishReason: 'max-steps' })
    expect(calls).toHaveLength(5)
  })
})
