import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Model, type ModelEvent, type ModelInfo, type ModelRequest, memorySessions } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'
import { fakeProvider, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { SDKContext } from '../config/sdk-context.ts'
import type {
  EnqueueItem,
  EnqueueOptions,
  FollowOptions,
  MemoryHit,
  RunFilter,
  Runnable,
  RunRecord,
  RunStatus,
  ScheduleInfo,
  ScheduleTimes,
  Worker,
  WorkOptions,
} from '../index.ts'
import { Agent } from './agent.ts'
import type { AgentOptions } from './options.ts'
import { Swarm } from './swarm.ts'

const folder = useFolder()
const image = { type: 'image', url: 'https://example.com/cat.png' } as const
const file = { type: 'file', url: 'https://example.com/cat.pdf', mediaType: 'application/pdf' } as const

/** An agent with a scripted model and sessions in memory. */
function makeAgent(options: Partial<AgentOptions> = {}): { agent: Agent; requests: readonly ModelRequest[] } {
  const model = scriptedModel(['Hello', 'Hello again'])
  const agent = new Agent({ name: 'Weather', functions: [], model, sessions: memorySessions(), ...options })
  return { agent, requests: model.requests }
}

describe('Agent', () => {
  it('answers', async () => {
    expect(await makeAgent().agent.chat('Hi')).toBe('Hello')
  })

  it('refuses both a context and a file', () => {
    const configPath = folder.write('config.toml', '')
    expect(() => makeAgent({ sdkContext: new SDKContext(), configPath })).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining('not both') }),
    )
  })

  it.each(['default', 'wether'])('names the misspelt table [%s], which may have the model that is absent', (table) => {
    const configPath = folder.write('config.toml', `[other]\n[${table}]\nmodel = "offline/extractive"\n`)
    const right = table === 'default' ? 'defaults' : 'weather'
    expect(() => new Agent({ name: 'Weather', functions: [], configPath })).toThrow(
      expect.objectContaining({
        code: 'missing-key',
        message: expect.stringContaining(`${configPath}: [${table}] belongs to no agent. Did you mean [${right}]?`),
      }),
    )
  })

  it('refuses a model without a key in its constructor', () => {
    expect(() => new Agent({ name: 'Weather', functions: [], model: 'claude-opus-5' })).toThrow(
      expect.objectContaining({ code: 'missing-key', message: expect.stringContaining('ANTHROPIC_API_KEY') }),
    )
    expect(() => new Agent({ name: 'Weather', functions: [] })).toThrow(
      expect.objectContaining({ code: 'missing-key', message: expect.stringContaining('LLMPROVIDER_API_KEY') }),
    )
  })

  it('finds a key in .env', () => {
    folder.write('.env', 'ANTHROPIC_API_KEY=the-key\n')
    const made = (): Agent => new Agent({ name: 'Weather', functions: [], model: 'claude-opus-5' })
    expect(made).not.toThrow()
  })

  describe('with a table in the configuration', () => {
    const toml = `
[defaults]
instruction = "From defaults."
max_steps = 1
sample_prompts = ["default"]
[weather]
instruction = "From the table."
`
    const instructionOf = async (options: Partial<AgentOptions>): Promise<unknown> => {
      const { agent, requests } = makeAgent(options)
      await agent.chat('Hi')
      return requests[0]?.messages.find(({ role }) => role === 'system')?.content
    }

    it.each([
      ['the constructor', 'From the constructor.', { instruction: 'From the constructor.' }],
      ['the table', 'From the table.', {}],
      ['[defaults]', 'From defaults.', { name: 'Other' }],
    ])('reads the instruction from %s', async (_, instruction, options) => {
      folder.write('agentkit_config.toml', toml)
      expect(await instructionOf(options)).toBe(instruction)
    })

    it('reads sample prompts, which the constructor overrides', () => {
      folder.write('agentkit_config.toml', toml)
      expect(makeAgent().agent.samplePrompts).toEqual(['default'])
      expect(makeAgent({ samplePrompts: [] }).agent.samplePrompts).toEqual([])
    })

    it('reads max_steps', async () => {
      folder.write('agentkit_config.toml', toml)
      const turns = [{ toolCalls: [{ name: 'none' }] }, 'Never']
      const { agent } = makeAgent({ model: scriptedModel(turns) })
      expect((await agent.stream('Hi').result).finishReason).toBe('max-steps')
      const { agent: longer } = makeAgent({ model: scriptedModel(turns), maxSteps: 2 })
      expect(await longer.chat('Hi')).toBe('Never')
    })

    it('reads the model, which the constructor overrides', () => {
      folder.write('agentkit_config.toml', '[weather]\nmodel = "groq/openai/gpt-oss-120b"\n')
      const made = (model?: string): Agent =>
        new Agent({ name: 'Weather', functions: [], ...(model && { model }), sessions: memorySessions() })
      expect(() => made()).toThrow(expect.objectContaining({ code: 'missing-key', provider: 'groq' }))
      expect(() => made('offline/extractive')).not.toThrow()
    })

    it('reads model settings, key by key', async () => {
      folder.write('agentkit_config.toml', '[weather]\ntemperature = 0.2\nreasoning = "low"\nmax_output_tokens = 99\n')
      const { agent, requests } = makeAgent({ modelSettings: { temperature: 1, stop: ['END'] } })
      await agent.chat('Hi')
      expect(requests[0]).toMatchObject({ temperature: 1, stop: ['END'], reasoning: 'low', maxOutputTokens: 99 })
    })

    it('reads model settings that are no options of the agent', async () => {
      folder.write('agentkit_config.toml', '[weather]\ntemperature = 0.2\nreasoning = "low"\n')
      const { agent, requests } = makeAgent({ temperature: 1, maxOutputTokens: 99 })
      await agent.chat('Hi')
      expect(requests[0]).toMatchObject({ temperature: 1, reasoning: 'low', maxOutputTokens: 99 })
    })

    it('reads tool_timeout, in seconds', async () => {
      folder.write('agentkit_config.toml', '[weather]\ntool_timeout = 0.01\n')
      const slow = {
        name: 'slow',
        description: 'Waits.',
        inputSchema: { type: 'object' },
        execute: () => new Promise(() => {}),
      }
      const model = scriptedModel([{ toolCalls: [{ name: 'slow' }] }, 'Done'])
      const { agent } = makeAgent({ model, functions: [slow] })
      const events = []
      for await (const event of agent.stream('Hi')) events.push(event)
      expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ isError: true })
    })

    it('reads timeout, in seconds, for a silent model, and sends the key to it', async () => {
      const keys: (string | undefined)[] = []
      const silent = createServer((request) => void keys.push(request.headers.authorization)).listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo // of a server that listens on a port
      vi.stubEnv('OPENAI_BASE_URL', `http://127.0.0.1:${port}/v1`)
      vi.stubEnv('LLMPROVIDER_API_KEY', 'the-key')
      vi.stubEnv('MISTRAL_API_KEY', 'another-key')
      folder.write('agentkit_config.toml', '[defaults]\nmodel = "openai/gpt-5.4-mini"\ntimeout = 1.5\n')
      const retry = { attempts: 1 }
      const agent = new Agent({ name: 'Weather', functions: [], sessions: memorySessions(), timeoutMs: 10_000, retry })
      await expect(agent.chat('Hi')).rejects.toMatchObject({ code: 'timeout', phase: 'first-byte' })
      expect(keys).toEqual(['Bearer the-key'])
      silent.closeAllConnections()
      silent.close()
    })

    it('reads ollama_server_url', async () => {
      await using server = await fakeProvider('ollama', ['From the box.'])
      folder.write('agentkit_config.toml', `[defaults]\nmodel = "ollama/qwen3"\nollama_server_url = "${server.url}"\n`)
      const agent = new Agent({ name: 'Weather', functions: [], sessions: memorySessions() })
      expect(await agent.chat('Hi')).toBe('From the box.')
    })

    it('reads budget, on_busy and a chain of models', async () => {
      vi.stubEnv('LLMPROVIDER_API_KEY', 'the-key')
      const toml =
        'model = ["openai/gpt-5.4-mini", "offline/extractive"]\nbudget = { model_calls = 0 }\non_busy = "reject"\n'
      folder.write('agentkit_config.toml', `[defaults]\n${toml}`)
      const agent = new Agent({ name: 'Weather', functions: [], sessions: memorySessions() })
      const { finishReason, warnings } = await agent.stream('Hi').result
      expect({ finishReason, warnings }).toEqual({
        finishReason: 'budget',
        warnings: ["The run's budget is used up: 0 of 0 model calls were made."],
      })
    })

    describe('with a timeout and a model that was passed', () => {
      const retry = { attempts: 1 }
      const deadline = { timeoutMs: 10_000 }
      const silentModel = (...events: ModelEvent[]): Model => ({
        id: 'test/silent',
        async *stream() {
          yield* events
          await new Promise(() => {})
        },
      })
      const text = { type: 'text-delta', text: 'Half an ans' } as const

      it.each([
        ['first-byte', silentModel()],
        ['idle', silentModel(text)],
      ])('ends the silence of one that is made by hand (%s)', async (phase, model) => {
        folder.write('agentkit_config.toml', '[defaults]\ntimeout = 0.02\n')
        const sdkContext = new SDKContext()
        const { agent } = makeAgent({ sdkContext, model, retry, ...deadline })
        await expect(agent.chat('Hi')).rejects.toMatchObject({ code: 'timeout', phase })
        expect(sdkContext.warnings).toEqual([])
      })

      it('falls back from a silent one', async () => {
        folder.write('agentkit_config.toml', '[weather]\ntimeout = 0.02\n')
        const models = [silentModel(), scriptedModel(['From the other.'], { id: 'test/other' })]
        const { agent } = makeAgent({ model: models, retry, ...deadline })
        expect(await agent.chat('Hi')).toBe('From the other.')
      })

      it('bounds the silence of a swarm’s member by the member’s table', async () => {
        folder.write('agentkit_config.toml', '[weather]\ntimeout = 0.02\n')
        const sdkContext = new SDKContext()
        const { agent: member } = makeAgent({ sdkContext, model: silentModel(), retry })
        const swarm = new Swarm({
          name: 'Team',
          agents: [member],
          collaboration: 'sequence',
          sdkContext,
          sessions: memorySessions(),
          ...deadline,
        })
        const cause = { code: 'timeout', phase: 'first-byte' }
        await expect(swarm.chat('Hi')).rejects.toMatchObject({ cause })
      })

      it('sets the timers of a provider unless its factory has some', async () => {
        await using server = await fakeProvider('openai-responses', [{ fault: 'hang-before-headers' }])
        const model = openai({ baseURL: server.url, apiKey: 'k' }).model('gpt-5.4-mini')
        folder.write('agentkit_config.toml', '[defaults]\ntimeout = 0.02\n')
        const { agent } = makeAgent({ model, retry, ...deadline })
        const failure = {
          code: 'timeout',
          phase: 'first-byte',
          provider: 'openai',
          message: expect.stringMatching(/ 20 ms/),
        }
        await expect(agent.chat('Hi')).rejects.toMatchObject(failure)
      })

      it('does not override an option', () => {
        folder.write('agentkit_config.toml', '[defaults]\ntimeout = 60\n')
        const eventTimeoutOf = (options: Partial<AgentOptions>) => makeAgent(options).agent.models[0]?.eventTimeoutMs
        expect(eventTimeoutOf({})).toBe(60_000)
        expect(eventTimeoutOf({ modelTimeoutMs: 5_000 })).toBe(5_000)
        expect(eventTimeoutOf({ model: { ...silentModel(), eventTimeoutMs: 7_000 } })).toBe(7_000)
      })

      it('detects a model that is listed twice', () => {
        folder.write('agentkit_config.toml', '[defaults]\ntimeout = 60\n')
        const model = silentModel()
        expect(() => makeAgent({ model: [model, model] })).toThrow('lists the same model twice')
      })

      it('reads the info of a model once it is loaded', () => {
        folder.write('agentkit_config.toml', '[defaults]\ntimeout = 60\n')
        const model: Model & { info?: ModelInfo } = silentModel()
        const { agent } = makeAgent({ model })
        model.info = { contextWindow: 1_000 }
        expect(agent.models[0]?.info).toEqual({ contextWindow: 1_000 })
      })
    })
  })

  it('reports its description and what it accepts, also from its table', () => {
    expect(makeAgent().agent).toMatchObject({ version: undefined, budget: undefined, acceptsImages: true })
    folder.write(
      'agentkit_config.toml',
      '[weather]\nversion = "7"\nenable_multi_modal = false\nbudget = { tokens = 5 }\n',
    )
    expect(makeAgent().agent).toMatchObject({ version: '7', budget: { tokens: 5 }, acceptsImages: false })
    expect(makeAgent({ version: '8' }).agent.version).toBe('8')
  })

  it.each(['interrupts', 'replaces'])(
    '%s a run of another agent on the same file: one may be created per request',
    async (how) => {
      const create = (turn: ScriptedTurn): Agent => {
        return makeAgent({
          model: scriptedModel([turn]),
          sessions: 'sessions.db',
          onBusy: how === 'replaces' ? 'queue' : 'interrupt',
        }).agent
      }
      const [first, second] = [create({ text: 'Slow', delayMs: 60_000 }), create('Quick')]
      const run = first.stream('Hi', { sessionId: 'ada' })
      const ended = run.result
      await vi.waitFor(async () => {
        expect(await first.runs({ status: 'running' })).toHaveLength(1)
      })
      const options = { sessionId: 'ada', ...(how === 'replaces' && { replaces: run.runId }) }
      expect(await second.chat('Stop. What is your name?', options)).toBe('Quick')
      expect(await ended).toMatchObject({ finishReason: 'aborted' })
      await Promise.all([first.close(), second.close()])
    },
  )

  describe('with enable_multi_modal = false', () => {
    it.each([
      ['image', image],
      ['file', file],
    ])('refuses an %s, naming the key', async (kind, part) => {
      folder.write('agentkit_config.toml', '[defaults]\nenable_multi_modal = false\n')
      const { agent, requests } = makeAgent()
      const refusal = {
        code: 'invalid-argument',
        message: expect.stringMatching(new RegExp(`no ${kind}s.*enable_multi_modal`)),
      }
      await expect(agent.chat([{ type: 'text', text: 'What is this?' }, part])).rejects.toMatchObject(refusal)
      expect(() => agent.stream([part])).toThrow(expect.objectContaining(refusal))
      const history = [{ role: 'user' as const, content: [part] }]
      await expect(agent.chat('And this?', { history })).rejects.toMatchObject(refusal)
      const queued = makeAgent({ sessions: 'sessions.db' }).agent
      await expect(queued.enqueue('And this?', { history })).rejects.toMatchObject(refusal)
      await queued.close()
      expect(requests).toEqual([])
    })

    it('accepts text in parts', async () => {
      const { agent } = makeAgent({ enableMultiModal: false })
      expect(await agent.chat([{ type: 'text', text: 'Hi' }])).toBe('Hello')
    })

    it('is overridden by the constructor', async () => {
      folder.write('agentkit_config.toml', '[defaults]\nenable_multi_modal = false\n')
      expect(await makeAgent({ enableMultiModal: true }).agent.chat([image])).toBe('Hello')
    })
  })

  it('leaves images to the model by default', async () => {
    const { agent, requests } = makeAgent()
    await agent.chat([image])
    expect(requests[0]?.messages.at(-1)?.content).toEqual([image])
  })

  it('warns at the first run of tables that belong to no agent', async () => {
    folder.write('agentkit_config.toml', '[wether]\n')
    const { agent } = makeAgent()
    expect(folder.printed).toEqual([])
    await agent.chat('Hi')
    await agent.chat('Hi')
    expect(folder.printed).toEqual([expect.stringContaining('Did you mean [weather]?')])
  })

  it('warns of an open model that is called at OpenAI when there is a Groq key', () => {
    vi.stubEnv('GROQ_API_KEY', 'one')
    vi.stubEnv('OPENAI_API_KEY', 'two')
    makeAgent({ model: 'openai/gpt-oss-120b' })
    expect(folder.printed).toEqual([expect.stringContaining('groq/openai/gpt-oss-120b')])
  })

  it('shares the session store of its context, and does not close it', async () => {
    const sdkContext = new SDKContext()
    const model = scriptedModel(['Hello', 'Hello'])
    const one = new Agent({ name: 'One', functions: [], model, sdkContext })
    const two = new Agent({ name: 'Two', functions: [], model, sdkContext })
    expect(one.sessions).toBe(two.sessions)
    await one.close()
    expect(await two.chat('Hi', { sessionId: 's' })).toBe('Hello')
    await sdkContext.close()
  })

  it('closes a context of its own', async () => {
    const agent = new Agent({ name: 'One', functions: [], model: scriptedModel([]), sessions: 'own.db' })
    const closed = vi.spyOn(agent.sessions, 'close')
    await agent.close()
    expect(closed).toHaveBeenCalledTimes(1)
  })

  it('says to a run after its end that it was closed', async () => {
    const agent = new Agent({ name: 'One', functions: [], model: scriptedModel(['Hello', 'Late']), sessions: 'own.db' })
    await agent.chat('Hi', { sessionId: 's' })
    await agent.close()
    const message = expect.stringMatching(/close\(\) .* of its agent .* was called\. .* create the agent again/)
    await expect(agent.chat('Hi', { sessionId: 's' })).rejects.toMatchObject({ code: 'storage', message })
  })

  it('does not close a store that was passed', async () => {
    const sessions = memorySessions()
    const closed = vi.spyOn(sessions, 'close')
    await makeAgent({ sessions }).agent.close()
    expect(closed).not.toHaveBeenCalled()
  })

  it('exports the types that its background methods take and return', () => {
    type Of<Name extends 'enqueue' | 'enqueueMany' | 'follow' | 'work' | 'schedule' | 'runs'> = Parameters<Agent[Name]>
    expectTypeOf<Awaited<ReturnType<Agent['runs']>>>().toEqualTypeOf<RunRecord[]>()
    expectTypeOf<Parameters<NonNullable<AgentOptions['onRunEnd']>>>().toEqualTypeOf<[RunRecord]>()
    expectTypeOf<RunRecord['status']>().toEqualTypeOf<RunStatus>()
    expectTypeOf<RunFilter>().toExtend<NonNullable<Of<'runs'>[0]>>()
    expectTypeOf<Of<'enqueue'>[1]>().toEqualTypeOf<EnqueueOptions | undefined>()
    expectTypeOf<Of<'enqueueMany'>[0][number]>().toEqualTypeOf<EnqueueItem>()
    expectTypeOf<Of<'follow'>[1]>().toEqualTypeOf<FollowOptions | undefined>()
    expectTypeOf<Of<'work'>[0]>().toEqualTypeOf<WorkOptions | undefined>()
    expectTypeOf<Awaited<ReturnType<Agent['work']>>>().toEqualTypeOf<Worker>()
    expectTypeOf<Of<'schedule'>[1]>().toEqualTypeOf<ScheduleTimes>()
    expectTypeOf<Awaited<ReturnType<Agent['schedules']>>>().toEqualTypeOf<ScheduleInfo[]>()
    expectTypeOf<Awaited<ReturnType<Agent['memory']['search']>>>().toEqualTypeOf<MemoryHit[]>()
    expectTypeOf<Agent | Swarm>().toExtend<Runnable>()
  })

  it('promises the types of its options', () => {
    expectTypeOf<NonNullable<AgentOptions['model']>>().not.toEqualTypeOf<never>()
    expectTypeOf<string>().toExtend<NonNullable<AgentOptions['model']>>()
    expectTypeOf<string[]>().toExtend<NonNullable<AgentOptions['model']>>()
    expectTypeOf<number>().not.toExtend<NonNullable<AgentOptions['model']>>()
  })
})
