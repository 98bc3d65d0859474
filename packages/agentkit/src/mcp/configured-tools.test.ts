import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { scriptedModel } from '@agentkit/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import { Swarm } from '../agents/swarm.ts'
import { toolsCommand } from '../cli/tools-command.ts'
import { SDKContext } from '../config/sdk-context.ts'

const everything = createRequire(new URL('../../../mcp/package.json', import.meta.url)).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
)
const folder = useFolder()

beforeEach(() => vi.stubEnv('CI', ''))

function write(toml: string): string {
  return folder.write('agentkit_config.toml', toml)
}

const server = `command = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(everything)}, "stdio"]`

/** A server that has one more tool after a call, and two of one name after the next. */
const growing = `import { createInterface } from 'node:readline'
const tools = [{ name: 'grow', inputSchema: { type: 'object' } }]
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const serverInfo = { name: 'growing', version: '1' }
  const capabilities = { tools: { listChanged: true } }
  if (method === 'initialize') return send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } })
  if (method === 'tools/list') return send({ id, result: { tools } })
  if (method !== 'tools/call') return id === undefined || send({ id, error: { code: -32601, message: 'Unknown.' } })
  for (const name of tools.length > 1 ? ['a b', 'a_b'] : ['added']) tools.push({ ...tools[0], name })
  send({ method: 'notifications/tools/list_changed' })
  send({ id, result: { content: [{ type: 'text', text: 'grown' }] } })
})
`

/** The names of the tools that the model of an agent is offered. */
async function offered(options: { name: string; sdkContext: SDKContext }) {
  const model = scriptedModel(['Hello.'])
  const agent = new Agent({ ...options, functions: [], model, sessions: ':memory:' })
  const { error, warnings } = await agent.stream('Hi').result
  await agent.close()
  return { names: model.requests[0]?.tools?.map(({ name }) => name) ?? [], error, warnings }
}

describe('[mcp.<name>]', () => {
  it('gives its tools to every agent, unless the table of one names its servers', async () => {
    const toml = `[mcp.first]\n${server}\ntools = ["echo"]\nenv = { OWN = "\${OWN}" }\n
[mcp.second]\n${server}\nprefix = "b"\ntools = ["echo", "get-env"]\nneeds_approval = ["get-env"]\n
[clerk]\nmcp = ["second"]\n[hermit]\nmcp = []\n`
    vi.stubEnv('OWN', 'value')
    const sdkContext = new SDKContext({ configPath: write(toml) })
    expect((await offered({ name: 'Anna', sdkContext })).names).toEqual(['echo', 'b_echo', 'b_get-env'])
    expect((await offered({ name: 'clerk', sdkContext })).names).toEqual(['b_echo', 'b_get-env'])
    expect((await offered({ name: 'hermit', sdkContext })).names).toEqual([])
    const lock = JSON.parse(readFileSync(folder.path('agentkit-mcp.lock.json'), 'utf8'))
    expect(Object.keys(lock.servers)).toEqual(['first', 'second'])
    await sdkContext.close()
  })

  it.each([0, 1])('is not connected where its context is closed, after %i runs', async (runs) => {
    const sdkContext = new SDKContext({ configPath: write(`[mcp.first]\n${server}\ntools = ["echo"]\n`) })
    const model = scriptedModel(['One.', 'Two.'])
    const agent = new Agent({ name: 'Anna', functions: [], model, sdkContext, sessions: ':memory:' })
    for (let run = 0; run < runs; run++) await agent.chat('Hi')
    await agent.close()
    await sdkContext.close()
    const { error } = await agent.stream('Hi').result
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('SDKContext is closed') })
  })

  it('is among the tools that an agent and a swarm show, once a run has connected it', async () => {
    const sdkContext = new SDKContext({ configPath: write(`[mcp.first]\n${server}\ntools = ["echo"]\n`) })
    const common = { functions: [], sdkContext, sessions: ':memory:' }
    const agent = new Agent({ ...common, name: 'Anna', model: scriptedModel(['One.']) })
    const swarm = new Swarm({ ...common, name: 'Team', agents: [agent], model: scriptedModel(['Two.']) })
    for (const one of [agent, swarm]) {
      expect(one.tools).toEqual([])
      await one.chat('Hi')
      expect(one.tools).toEqual([{ name: 'echo', description: expect.any(String) }])
    }
    await swarm.close()
    await agent.close()
    await sdkContext.close()
  })

  it('gives its tools to the own model of a swarm, as to every agent', async () => {
    const toml = `[mcp.first]\n${server}\ntools = ["echo"]\n[mcp.second]\n${server}\ntools = ["get-env"]\n
[team]\nmcp = ["second"]\n[hermits]\nmcp = []\n`
    const sdkContext = new SDKContext({ configPath: write(toml) })
    const offeredTo = async (name: string, collaboration: 'manager' | 'parallel' | 'sequence' = 'manager') => {
      const inner = scriptedModel(['One.'])
      const member = new Agent({ name: 'Anna', functions: [], model: inner, sdkContext, sessions: ':memory:' })
      const model = scriptedModel(['Hello.'])
      const swarm = new Swarm({ name, agents: [member], collaboration, model, sdkContext, sessions: ':memory:' })
      const { error } = await swarm.stream('Hi').result
      expect(error).toBeUndefined()
      await swarm.close()
      const names = (of: typeof model) => of.requests[0]?.tools?.map((tool) => tool.name) ?? []
      return collaboration === 'manager' ? names(model) : { members: names(inner), own: names(model) }
    }
    expect(await offeredTo('Others')).toEqual(['anna', 'echo', 'get-env'])
    expect(await offeredTo('team')).toEqual(['anna', 'get-env'])
    expect(await offeredTo('hermits')).toEqual(['anna'])
    expect(await offeredTo('team', 'parallel')).toEqual({ members: ['echo', 'get-env'], own: ['anna', 'get-env'] })
    expect(await offeredTo('team', 'sequence')).toEqual({ members: ['echo', 'get-env'], own: [] })
    await sdkContext.close()
  })

  it('gives the next run the tools that its server has added', async () => {
    folder.write('growing.mjs', growing)
    const own = `command = ${JSON.stringify(process.execPath)}\nargs = ["growing.mjs"]\npins = false`
    const sdkContext = new SDKContext({ configPath: write(`[mcp.growing]\n${own}\n`) })
    const grow = { toolCalls: [{ name: 'grow' }] }
    const model = scriptedModel([grow, 'One.', grow, 'Two.', 'Three.'])
    const agent = new Agent({ name: 'Anna', functions: [], model, sdkContext, sessions: ':memory:' })
    await agent.chat('Hi')
    // The server reports the change before it answers the call.
    const { error } = await agent.stream('Hi again').result
    expect(error).toBeUndefined()
    // Two tools of one name are refused: the run has those that were read before.
    const { error: none, warnings } = await agent.stream('And again').result
    expect(none).toBeUndefined()
    expect(warnings.join()).toContain(
      'The tools of the MCP server "growing" have changed, and could not be read again:',
    )
    const offeredAt = (request: number) => model.requests[request]?.tools?.map(({ name }) => name)
    expect([0, 1, 2, 3, 4].map(offeredAt)).toEqual([['grow'], ['grow'], ...Array(3).fill(['grow', 'added'])])
    await agent.close()
    await sdkContext.close()
  })

  it('that cannot be connected fails the run, or is a warning with `required = false`', async () => {
    const toml = '[mcp.gone]\nurl = "http://127.0.0.1:9/mcp"\n'
    const failing = new SDKContext({ configPath: write(toml) })
    const { error } = await offered({ name: 'Anna', sdkContext: failing })
    expect(error).toMatchObject({ code: 'network', message: expect.stringContaining('"gone"') })
    const lenient = new SDKContext({ configPath: write(`${toml}required = false\n`) })
    const { names, error: none, warnings } = await offered({ name: 'Anna', sdkContext: lenient })
    expect([names, none]).toEqual([[], undefined])
    expect(warnings.join()).toContain('no tools of the MCP server "gone"')
  })

  it('with an unpinned tool ends the run in production', async () => {
    const toml = `[defaults]\nenvironment = "production"\n[mcp.first]\n${server}\ntools = ["echo"]\n`
    const sdkContext = new SDKContext({ configPath: write(toml) })
    const { error } = await offered({ name: 'Anna', sdkContext })
    expect(error).toMatchObject({ code: 'invalid-config', message: expect.stringContaining('agentkit-mcp.lock.json') })
    expect(existsSync(folder.path('agentkit-mcp.lock.json'))).toBe(false)
    await sdkContext.close()
  })

  it.each([{ CI: 'true' }, { NODE_ENV: 'production' }])('with an unpinned tool ends the run with %o', async (env) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const sdkContext = new SDKContext({ configPath: write(`[mcp.first]\n${server}\ntools = ["echo"]\n`) })
    const { error } = await offered({ name: 'Anna', sdkContext })
    expect(error).toMatchObject({ code: 'invalid-config', message: expect.stringContaining('has no pin') })
    expect(existsSync(folder.path('agentkit-mcp.lock.json'))).toBe(false)
    await sdkContext.close()
  })

  it('with a variable that is not set is invalid-config, which names it', async () => {
    const toml = `[mcp.far]\nurl = "http://127.0.0.1:9/mcp"\nheaders = { authorization = "Bearer \${NOT_SET}" }\n`
    const sdkContext = new SDKContext({ configPath: write(toml) })
    const { error } = await offered({ name: 'Anna', sdkContext })
    expect(error).toMatchObject({ code: 'invalid-config', message: expect.stringContaining('Set NOT_SET.') })
  })

  it('whose tool has changed is accepted by `agentkit tools pins accept`', async () => {
    write(`[mcp.first]\n${server}\ntools = ["echo"]\n`)
    const lock = JSON.stringify({ version: 1, servers: { first: { tools: { echo: 'sha256-old' } } } })
    folder.write('agentkit-mcp.lock.json', lock)
    const changed = new SDKContext()
    const { names, warnings } = await offered({ name: 'Anna', sdkContext: changed })
    expect(names).toEqual([])
    expect(warnings.join()).toContain('agentkit tools pins accept "first" "echo"')
    await changed.close()
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    await toolsCommand().parseAsync(['pins', 'accept', 'first', 'echo'], { from: 'user' })
    expect(written).toHaveBeenCalledWith('Pinned: echo.\n')
    const accepted = new SDKContext()
    expect((await offered({ name: 'Anna', sdkContext: accepted })).names).toEqual(['echo'])
    await accepted.close()
  })

  it('is named in `mcp` by a name that exists', () => {
    const sdkContext = new SDKContext({ configPath: write(`[mcp.files]\n${server}\n[clerk]\nmcp = ["fils"]\n`) })
    expect(() => new Agent({ name: 'clerk', functions: [], model: scriptedModel([]), sdkContext })).toThrow(
      'Did you mean "files"?',
    )
  })
})
