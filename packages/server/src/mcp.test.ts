import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { workflow } from '@agentkit/core'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { fakeAgent } from './__fixtures__/fake-agent.ts'
import { folderKnowledge } from './__fixtures__/folder-knowledge.ts'
import { payTurn, storedAgents } from './__fixtures__/stored-agent.ts'
import { ask, messageIn, post } from './dialects/mcp/__fixtures__/mcp-clients.ts'
import { loadMCP } from './dialects/mcp/load-mcp.ts'
import { mcpServer } from './mcp.ts'
import { serve } from './serve.ts'

const make = storedAgents()

async function connected(server: ReturnType<typeof mcpServer>, onElicit?: () => object): Promise<Client> {
  const capabilities = onElicit ? { elicitation: {} } : {}
  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  if (onElicit) client.setRequestHandler('elicitation/create', () => onElicit() as never)
  const [one, other] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(one), client.connect(other)])
  return client
}

describe('mcpServer(agent)', () => {
  it('is connected to a transport of the SDK', async () => {
    const { agent } = make(['Hello there.'])
    const client = await connected(mcpServer(agent))
    expect((await ask(client, 'Hi')).structuredContent.answer).toBe('Hello there.')
    await client.close()
  })

  it('acts for the user that it is made for', async () => {
    const { agent } = make(['Hello there.'])
    const client = await connected(mcpServer(agent, { userId: 'ann' }))
    await ask(client, 'Hi')
    expect(await agent.runs({ userId: 'ann' })).toHaveLength(1)
    await client.close()
  })

  it('is served over HTTP by the SDK', async () => {
    const { agent } = make(['Hello there.'])
    const handler = createMcpHandler(() => mcpServer(agent))
    const request = new Request(
      'http://localhost',
      post('tools/call', { name: 'ask_agent', arguments: { message: 'Hi' } }),
    )
    expect((await messageIn(await handler.fetch(request))).result).toMatchObject({
      content: [{ text: 'Hello there.' }],
    })
  })

  it.each([
    [{ action: 'accept', content: { approve: true } }, 'Paid.', [5]],
    [{ action: 'decline' }, 'Not paid.', []],
  ])('asks the user of a client of 2025 that keeps its connection: %j', async (result, answer, amounts) => {
    const { agent, paid } = make([payTurn, answer])
    const client = await connected(mcpServer(agent), () => result)
    expect((await ask(client, 'Pay')).structuredContent).toMatchObject({ answer, finish_reason: 'stop' })
    expect(paid).toEqual(amounts)
    await client.close()
  })

  it('names the run that waits where the client cannot ask', async () => {
    const { agent } = make([payTurn])
    const client = await connected(mcpServer(agent))
    const { content, structuredContent } = await ask(client, 'Pay')
    expect(structuredContent.finish_reason).toBe('approval')
    expect(content[0]?.text).toContain(`/api/v1/runs/${structuredContent.run_id}/approvals/apr_`)
    await client.close()
  })

  it('cancels a run with its call, and all with the connection', async () => {
    const agent = fakeAgent(['hang'])
    const client = await connected(mcpServer(agent))
    const controller = new AbortController()
    const cancelled = ask(client, 'Hi', { signal: controller.signal })
    const left = ask(client, 'Hi')
    await expect.poll(() => agent.calls.length).toBe(2)
    controller.abort()
    await expect(cancelled).rejects.toThrow('abort')
    await expect.poll(() => agent.calls.map(({ isAborted }) => isAborted)).toEqual([true, false])
    await client.close()
    await expect(left).rejects.toThrow('closed')
    await expect.poll(() => agent.calls[1]?.isAborted).toBe(true)
  })

  it('runs at most 32 calls at once', async () => {
    const agent = fakeAgent(['hang'])
    const client = await connected(mcpServer(agent, { log: () => {} }))
    const calls = Array.from({ length: 33 }, () => ask(client, 'Hi'))
    await expect(Promise.race(calls)).rejects.toMatchObject({ code: -32000, message: expect.stringContaining('32') })
    await client.close()
    await Promise.allSettled(calls)
    expect(agent.calls).toHaveLength(32)
  })

  it('logs a run that fails, and the client reads our sentence', async () => {
    const entries: object[] = []
    const { agent } = make([{ error: new Error('It is broken: sk-0123456789abcdef0123456789abcdef') }])
    const client = await connected(mcpServer(agent, { log: (entry) => entries.push(entry) }))
    const { content, isError } = await ask(client, 'Hi')
    expect([isError, content[0]?.text]).toEqual([true, 'The model provider failed.'])
    expect(entries).toMatchObject([
      { level: 'error', code: 'provider-error', error: expect.stringContaining('It is broken') },
    ])
    expect(JSON.stringify(entries)).not.toContain('sk-0123')
    await client.close()
  })

  it('has the files of the agent, and with files of users those of its user alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentkit-mcp-'))
    writeFileSync(join(folder, 'a.md'), 'All of it.')
    const agent = { ...fakeAgent(), knowledge: folderKnowledge(folder) }
    const names = async (server: ReturnType<typeof mcpServer>): Promise<string[]> => {
      const client = await connected(server)
      const { resources } = await client.listResources()
      await client.close()
      return resources.map(({ name }) => name)
    }
    expect(await names(mcpServer(agent))).toEqual(['a.md'])
    expect(await names(mcpServer(agent, { userId: 'ann', perUserFiles: true }))).toEqual([])
    expect(agent.knowledge.isSeparate).toBe(true)
    expect(await names(mcpServer(agent, { perUserFiles: true }))).toEqual([])
    rmSync(folder, { recursive: true })
  })

  it.each([
    [[{}], 'invalid-argument'],
    [[undefined], 'invalid-argument'],
    [[workflow({ name: 'Report' }).step((text) => text)], 'invalid-argument'],
    [[fakeAgent(), { userId: '' }], 'invalid-argument'],
    [[fakeAgent(), { user_id: 'ann' }], 'invalid-config'],
    [[fakeAgent(), { perUserFiles: true, log: () => {} }], undefined],
  ])('checks its arguments: %#', (args, code) => {
    const create = () => mcpServer(...(args as Parameters<typeof mcpServer>))
    if (code === undefined) expect(create).not.toThrow()
    else expect(create).toThrow(expect.objectContaining({ code }))
  })
})

describe('without the SDK', () => {
  it.each([
    [['ui'], []],
    [['mcp'], ['@modelcontextprotocol/server']],
  ])('a server of the dialects %j imports %j', async (dialects, expected) => {
    const entry = pathToFileURL(join(import.meta.dirname, 'index.ts')).href
    const code = `import { registerHooks } from 'node:module'
      const seen = new Set()
      registerHooks({ resolve(name, context, next) { if (name.startsWith('@modelcontextprotocol/server')) seen.add(name); return next(name, context) } })
      const { createApp } = await import(${JSON.stringify(entry)})
      const app = createApp({ id: 'a', name: 'A', samplePrompts: [], sessions: {}, stream() {} }, { dialects: ${JSON.stringify(dialects)}, log() {} })
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      await app.request('/mcp', { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })
      console.log(JSON.stringify([...seen].filter((name) => name === '@modelcontextprotocol/server')))`
    const args = ['--conditions=@agentkit/source', '--input-type=module', '--eval', code]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
    expect(JSON.parse(stdout)).toEqual(expected)
  })

  const missing = (name: string) =>
    Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' })

  it('its import throws the command that installs it', async () => {
    const name = '@modelcontextprotocol/server'
    await expect(loadMCP(() => Promise.reject(missing(name)))).rejects.toMatchObject({
      ...{ code: 'missing-package', message: `MCP needs the package ${name}. Run: npm i ${name}` },
    })
    const other = missing('zod')
    await expect(loadMCP(() => Promise.reject(other))).rejects.toBe(other)
  })
})

it('is served where the dialect is named', async () => {
  const server = await serve(make(['Hello.']).agent, { port: 0, log: () => {}, dialects: ['mcp'] })
  const response = await fetch(`${server.url}/mcp`, post('tools/list'))
  expect(response.status).toBe(200)
  await response.text()
  await server.close()
})
