import { memorySessions } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent, SDKContext, Swarm, type SwarmOptions, tool } from '../index.ts'

const folder = useFolder()
const sessions = memorySessions()
const image = { type: 'image', url: 'https://example.com/cat.png' } as const
const search = tool({ name: 'search', description: 'Searches.', input: { type: 'object' }, execute: () => 'found' })

function agent(name: string, ...turns: string[]): Agent {
  return new Agent({ name, functions: [], model: scriptedModel(turns), sessions })
}

const askAnn = { toolCalls: [{ name: 'ann', input: { task: 'Count.' } }] }

function team(options: Partial<SwarmOptions> = {}): Swarm {
  const model = scriptedModel([askAnn, 'Done.'])
  return new Swarm({ name: 'Team', model, sessions, agents: [agent('Ann', 'Five.')], ...options })
}

describe('Swarm', () => {
  it('answers, with a model of its own and its members', async () => {
    expect(await team().chat('Analyse [1, 2, 3, 4, 5]')).toBe('Done.')
  })

  it('serves the chat endpoint of an agent, and its older names', async () => {
    for (const path of ['/api/v1/chat', '/swarm/chat']) {
      const swarm = team({ samplePrompts: ['Analyse this.'] })
      const server = await swarm.run({ port: 0 })
      const body = new FormData()
      for (const [name, value] of Object.entries({ user_id: 'ada', session_id: path })) body.set(name, value)
      body.set('chat_data', JSON.stringify({ messages: [{ role: 'user', content: 'Analyse' }] }))
      const response = await fetch(server.url + path, { method: 'POST', body, headers: { accept: 'application/json' } })
      expect(await response.json()).toMatchObject({ answer: 'Done.', finish_reason: 'stop' })
      const prompts = await fetch(`${server.url}/api/v1/sample_prompts`)
      expect(await prompts.json()).toEqual({ sample_prompts: ['Analyse this.'] })
      await server.close()
      await swarm.close()
    }
    const single = agent('Ann')
    const server = await single.run({ port: 0 })
    expect((await fetch(`${server.url}/swarm/chat`, { method: 'POST' })).status).toBe(404)
    await server.close()
    await single.close()
  })

  it('reads its table and those of its agents', () => {
    folder.write(
      'agentkit_config.toml',
      `[sample_prompts]
       prompts = ["Hello"]
       ["Research Team"]
       instruction = "You lead."
       collaboration = "sequence"
       history = 3
       max_steps = 5
       [analyst]
       instruction = "You count."
       sample_prompts = ["Count"]`,
    )
    const sdkContext = new SDKContext({ configPath: './agentkit_config.toml' })
    const analyst = new Agent({ name: 'Analyst', functions: [], model: scriptedModel([]), sdkContext })
    const swarm = new Swarm({ name: 'Research Team', agents: [analyst], sdkContext })
    expect(swarm.samplePrompts).toEqual(['Hello'])
    expect(analyst.samplePrompts).toEqual(['Count'])
    expect(sdkContext.warnings).toEqual([])
  })

  it('defines its agents by the configuration: instruction, model and functions by name', async () => {
    folder.write(
      'agentkit_config.toml',
      `[team]
       model = "offline/extractive"
       collaboration = "sequence"
       [researcher]
       model = "offline/extractive"
       instruction = "You research."
       tools = ["search"]
       [writer]
       model = "offline/extractive"`,
    )
    const swarm = new Swarm({ name: 'Team', functions: [search], configPath: './agentkit_config.toml' })
    expect(swarm.agents.map(({ id }) => id)).toEqual(['researcher', 'writer'])
    expect(await swarm.chat('Search for bees.')).not.toBe('')
    await swarm.close()
  })

  it.each(['manager', 'handoff', 'sequence'] as const)(
    'gives members its model, also by its table: %s',
    async (kind) => {
      folder.write(
        'agentkit_config.toml',
        `[team]
       model = "offline/extractive"
       collaboration = "${kind}"
       [writer]
       instruction = "You write."
       [editor]
       model = ["offline/extractive", "ollama/llama3.2"]`,
      )
      const swarm = new Swarm({ name: 'Team', functions: [], configPath: './agentkit_config.toml' })
      const models = swarm.agents.map((agent) => agent.models.map(({ id }) => id))
      expect(models).toEqual([['offline/extractive'], ['offline/extractive', 'ollama/llama3.2']])
      expect(await swarm.chat('Hello')).not.toBe('')
      await swarm.close()
    },
  )

  it('finds functions within lists and tool sets by name', () => {
    folder.write('agentkit_config.toml', '[writer]\nmodel = "offline/extractive"\ntools = ["look", "search"]')
    const set = { look: { description: 'Looks.', inputSchema: { type: 'object' }, execute: () => 'seen' } }
    const sdkContext = new SDKContext({ configPath: './agentkit_config.toml' })
    const swarm = new Swarm({ name: 'Team', functions: [[search], set], model: 'offline/extractive', sdkContext })
    expect((swarm.agents[0] as Agent).tools.map(({ name }) => name)).toEqual(['look', 'search'])
    expect(sdkContext.warnings).toEqual([])
  })

  it.each([
    ['[team]\nagents = ["writr"]\n[writer]', 'name "writr", which has no table. Did you mean "writer"?'],
    ['[team]\nagents = ["team"]\n[writer]', 'name "team", which has no table.'],
    ['[writer]\ntools = ["fly"]\nmodel = "offline/extractive"', '[writer] names the tool "fly"'],
    ['', 'The swarm "Team" has no agents. Pass `agents`, or write a table for each: [research].'],
    ['[team]\ncollaboration = "chaos"', '"collaboration" must be "manager", "handoff", "parallel" or "sequence"'],
    ['[team]\nhistory = "some"', '"history" must be "task"'],
  ])('reports an invalid configuration: %j', (toml, words) => {
    folder.write('agentkit_config.toml', toml)
    const make = () => new Swarm({ name: 'Team', functions: [search], model: 'offline/extractive' })
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(words) }))
  })

  it('warns of keys that have no effect for an agent', () => {
    folder.write('agentkit_config.toml', '[ann]\nhistory = "own"\ntools = ["search"]')
    const sdkContext = new SDKContext({ configPath: './agentkit_config.toml' })
    new Agent({ name: 'Ann', functions: [], model: scriptedModel([]), sdkContext })
    expect(sdkContext.warnings).toEqual([
      expect.stringContaining('`history` of "Ann" has no effect: it is not a swarm.'),
      expect.stringContaining('`tools` of "Ann" has no effect'),
    ])
  })

  it('refuses images where its option forbids them, and names that', async () => {
    const swarm = team({ enableMultiModal: false })
    await expect(swarm.chat([{ type: 'text', text: 'What is this?' }, image])).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('enableMultiModal'),
    })
    const model = scriptedModel(['A cat.'])
    const open = team({ model, collaboration: 'manager' })
    expect(await open.chat([{ type: 'text', text: 'What is this?' }, image])).toBe('A cat.')
    expect(model.requests[0]?.messages[0]?.content).toContainEqual(image)
  })

  it.each(['sequence', 'parallel', 'handoff'] as const)(
    'sends no image to a member that accepts none: %s',
    async (kind) => {
      const model = scriptedModel(['Seen.'])
      const blind = new Agent({ name: 'Blind', functions: [], model, sessions, enableMultiModal: false })
      const swarm = new Swarm({
        name: 'Team',
        model: scriptedModel(['Done.']),
        sessions,
        agents: [blind],
        collaboration: kind,
      })
      const result = await swarm.stream([{ type: 'text', text: 'What is this?' }, image]).result
      const reported = `${result.error?.message} ${result.warnings.join()}`
      expect(reported).toContain('"blind" takes no images: `enableMultiModal` is false')
      expect(model.requests).toEqual([])
    },
  )

  it.each([
    ['no warning of what `[defaults]` and the members use', '[defaults]\ninstruction = "Be brief."', []],
    ['a warning of an instruction of its own', '[team]\ninstruction = "Be brief."', ['instruction']],
  ])('has %s when it calls no model of its own', async (_what, toml, options) => {
    const configPath = folder.write('config.toml', `${toml}\n\n[ann]\ntools = ["search"]\n`)
    const sdkContext = new SDKContext({ configPath })
    const model = scriptedModel(['Done.'])
    const swarm = new Swarm({
      name: 'Team',
      sessions,
      sdkContext,
      model,
      functions: [search],
      collaboration: 'handoff',
    })
    const { warnings } = await swarm.stream('Go').result
    expect(warnings).toEqual(options.map((option) => expect.stringContaining(`\`${option}\` of the swarm "Team"`)))
  })

  it('needs no model and no key when it calls none', () => {
    const agents = [agent('Ann')]
    expect(() => new Swarm({ name: 'Team', agents, collaboration: 'handoff' })).not.toThrow()
    expect(() => new Swarm({ name: 'Team', agents })).toThrow(expect.objectContaining({ code: 'missing-key' }))
  })

  it.each(['agents', 'collaboration', 'history'])('refuses `%s: null`, which is not the default', (name) => {
    expect(() => team({ [name]: null })).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })

  it('has no misspelt options', () => {
    // @ts-expect-error: the right word is `collaboration`.
    expect(() => team({ colaboration: 'handoff' })).toThrow(
      /^Unknown option `colaboration`\. Did you mean `collaboration`\? Known: name, functions, .*, history\.$/,
    )
  })
})
