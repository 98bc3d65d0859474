import { createServer } from 'node:http'
import { join } from 'node:path'
import { AgentKitError, type AgentRun, memorySessions, type SessionStore, tool } from '@agentkit/core'
import { mcp } from '@agentkit/mcp'
import { postgresQueue } from '@agentkit/queue-postgres'
import { createApp } from '@agentkit/server'
import { mcpServer } from '@agentkit/server/mcp'
import { postgresSessions, sqliteSessions } from '@agentkit/sessions'
import { testDatabase } from '@agentkit/test-postgres'
import { scriptedModel } from '@agentkit/testing'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { context, SpanKind, trace } from '@opentelemetry/api'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ExportedSpan, exportedTraces, treeOf } from './__fixtures__/exported-traces.ts'
import { useFolder } from './__fixtures__/use-folder.ts'
import { Agent, Swarm } from './index.ts'

const input = { type: 'object' }
const usage = { inputTokens: 7, outputTokens: 3 }
const retry = { attempts: 2, firstWaitMs: 1 }
const overloaded = (): AgentKitError => new AgentKitError('overloaded', 'The provider is busy.', { retryable: true })
const pay = tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => 'paid' })

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** An HTTP server on loopback that answers as `fetch` does. */
async function listen(answer: (request: Request) => Promise<Response> | Response): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { method = 'GET', url = '/', headers } = request
    const sent = new Request(`http://127.0.0.1${url}`, {
      ...{ method, headers: headers as Record<string, string> },
      ...(body.length > 0 && { body }),
    })
    const answered = await answer(sent)
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    response.end(Buffer.from(await answered.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** A server of another library, with one tool, and the `_meta` of its calls. */
async function foreignServer(): Promise<{ url: string; metas: Record<string, unknown>[] }> {
  const metas: Record<string, unknown>[] = []
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'stock', version: '1' })
    const inputSchema = fromJsonSchema<{ item?: string }>({ type: 'object', properties: { item: { type: 'string' } } })
    server.registerTool('count_stock', { description: 'Counts.', inputSchema }, ({ item }, { mcpReq }) => {
      metas.push({ ...mcpReq._meta })
      return { content: [{ type: 'text', text: item ?? 'nothing' }], isError: item === undefined }
    })
    return server
  })
  return { url: `${await listen((request) => handler.fetch(request))}/mcp`, metas }
}

/** Approves whatever the run asks. */
async function approveAll(run: AgentRun): Promise<void> {
  for await (const event of run) if (event.type === 'approval-request') run.approve(event.approvalId)
}

function sum(spans: readonly ExportedSpan[], attribute: string): number {
  return spans.reduce((total, { attributes }) => total + Number(attributes[attribute] ?? 0), 0)
}

const idsOf = ({ traceId, spanId }: ExportedSpan): string => `00-${traceId}-${spanId}-01`
const named = (spans: readonly ExportedSpan[], name: string): ExportedSpan | undefined =>
  spans.find((span) => span.name === name)

describe('the trace of a swarm with retries, a fallback, an approval and a tool of an MCP server', () => {
  it('is one tree in memory, as JSON and as protobuf, whose tokens are those of the run', async () => {
    await using telemetry = await exportedTraces()
    const { url, metas } = await foreignServer()
    const tools = await mcp({ name: 'stock', url, pins: false })
    const primary = scriptedModel(
      [
        overloaded(),
        { toolCalls: [{ name: 'count_stock', input: { item: 'bolts' } }, { name: 'pay' }], usage },
        overloaded(),
        overloaded(),
      ],
      { id: 'openai/gpt-a' },
    )
    const second = scriptedModel(
      [
        { toolCalls: [{ name: 'count_stock' }], usage },
        { text: 'Paid.', usage },
      ],
      {
        id: 'azure/gpt-b',
      },
    )
    const clerk = new Agent({ name: 'Clerk', functions: [tools, pay], model: [primary, second], retry })
    const lead = scriptedModel([
      overloaded(),
      { toolCalls: [{ name: 'clerk', input: { task: 'Pay.' } }], usage },
      { text: 'Done.', usage },
    ])
    const office = new Swarm({ name: 'Office', model: lead, agents: [clerk], sessions: memorySessions(), retry })

    const run = office.stream('Pay the bill', { sessionId: 's1' })
    await approveAll(run)
    const result = await run.result
    expect(result.text).toBe('Done.')
    await office.close()

    const { memory, json, protobuf } = await telemetry.exported()
    expect(treeOf(memory)).toEqual([
      'invoke_workflow Office',
      '  chat scripted !overloaded',
      '  chat scripted',
      '  execute_tool clerk',
      '    invoke_agent Clerk',
      '      chat gpt-a !overloaded',
      '      chat gpt-a',
      '      execute_tool count_stock',
      '        tools/call count_stock',
      '  invoke_workflow Office',
      '    execute_tool clerk',
      '      invoke_agent Clerk',
      '        execute_tool pay',
      '        chat gpt-a !overloaded',
      '        chat gpt-a !overloaded',
      '        chat gpt-b',
      '        execute_tool count_stock !tool_error',
      '          tools/call count_stock !tool_error',
      '        chat gpt-b',
      '    chat scripted',
    ])
    const byId = (spans: ExportedSpan[]) => spans.toSorted((one, other) => (one.spanId < other.spanId ? -1 : 1))
    expect(byId(json)).toEqual(byId(memory))
    expect(byId(protobuf)).toEqual(byId(memory))

    for (const spans of [memory, json, protobuf]) {
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
      expect(spans.filter(({ parentSpanId }) => parentSpanId === '').map(({ name }) => name)).toEqual([
        'invoke_workflow Office',
      ])
      expect(sum(spans, 'gen_ai.usage.input_tokens')).toBe(result.usage.inputTokens)
      expect(sum(spans, 'gen_ai.usage.output_tokens')).toBe(result.usage.outputTokens)
    }
    const [waited, resumed] = memory.filter(({ name }) => name === 'invoke_workflow Office')
    expect(resumed?.links).toEqual([waited?.spanId])
    const calls = memory.filter(({ name }) => name === 'tools/call count_stock')
    expect(calls.map(({ kind }) => kind)).toEqual([SpanKind.CLIENT + 1, SpanKind.CLIENT + 1])
    expect(calls[0]?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2026-07-28',
      'gen_ai.tool.name': 'count_stock',
      'network.transport': 'tcp',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(url).port),
    })
    // The server continues the span of the request, not that of the tool.
    expect(metas.map(({ traceparent }) => traceparent)).toEqual(calls.map(idsOf))
  })
})

describe('a trace continues', () => {
  it('in an agent that an agent asks over MCP', async () => {
    await using telemetry = await exportedTraces()
    const remote = new Agent({
      name: 'Remote',
      functions: [],
      model: scriptedModel(['Far.']),
      sessions: memorySessions(),
    })
    const app = createApp(remote, { dialects: ['mcp'], log: () => {} })
    const url = `${await listen((request) => app.fetch(request))}/mcp`
    const tools = await mcp({ url, pins: false })
    const model = scriptedModel([{ toolCalls: [{ name: 'ask_agent', input: { message: 'Hello' } }] }, 'Near.'])
    const local = new Agent({ name: 'Local', functions: [tools], model })
    expect(await local.chat('Ask')).toBe('Near.')
    await local.close()
    const { memory } = await telemetry.exported()
    expect(treeOf(memory)).toEqual([
      'invoke_agent Local',
      '  chat scripted',
      '  execute_tool ask_agent',
      '    tools/call ask_agent',
      '      invoke_agent Remote',
      '        chat scripted',
      '  chat scripted',
    ])
  })

  it('from the `_meta` of a call of MCP that has no headers, and only if it is a traceparent', async () => {
    await using telemetry = await exportedTraces()
    const model = scriptedModel(['One.', 'Two.', 'Three.'])
    const agent = new Agent({ name: 'Clerk', functions: [], model, sessions: memorySessions() })
    const [one, other] = InMemoryTransport.createLinkedPair()
    const server = mcpServer(agent)
    await server.connect(other)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(one)
    closers.push(() => client.close())
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    for (const traceparent of [`00-${traceId}-b7ad6b7169203331-01`, 17, 'x'.repeat(10_000)]) {
      await client.callTool({ name: 'ask_agent', arguments: { message: 'Hello' }, _meta: { traceparent } })
    }
    const { memory } = await telemetry.exported()
    const runs = memory.filter(({ name }) => name === 'invoke_agent Clerk')
    expect(runs.map(({ parentSpanId }) => parentSpanId)).toEqual(['b7ad6b7169203331', '', ''])
    expect(runs[0]?.traceId).toBe(traceId)
  })

  it('from the request of an A2A client, streamed or not', async () => {
    await using telemetry = await exportedTraces()
    const model = scriptedModel(['One.', 'Two.'])
    const agent = new Agent({ name: 'Clerk', functions: [], model, sessions: memorySessions() })
    const app = createApp(agent, { dialects: ['a2a'], log: () => {} })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const message = { messageId: method, role: 'ROLE_USER', parts: [{ text: 'Hello' }] }
      const answer = await app.request('/a2a', {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'a2a-version': '1.0' },
          traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } }),
      })
      expect(await answer.text()).toContain('TASK_STATE_COMPLETED')
    }
    const { memory } = await telemetry.exported()
    const runs = memory.filter(({ name }) => name === 'invoke_agent Clerk')
    expect(runs.map(({ parentSpanId, traceId }) => [parentSpanId, traceId])).toEqual([
      ['b7ad6b7169203331', traceId],
      ['b7ad6b7169203331', traceId],
    ])
  })
})

describe.each([
  ['SQLite', async (folder: string) => sqliteSessions(join(folder, 'sessions.db'))],
  [
    'Postgres',
    async () => {
      const url = await testDatabase()
      return postgresSessions(url, { queue: postgresQueue(url) })
    },
  ],
] satisfies [string, (folder: string) => Promise<SessionStore>][])('a background run in %s', (_kind, open) => {
  const { path } = useFolder()

  it('continues in its worker the trace that it was enqueued in, with its members and after an approval', {
    timeout: 60_000,
  }, async () => {
    await using telemetry = await exportedTraces()
    const sessions = await open(path('.'))
    closers.push(() => sessions.close?.())
    const clerk = new Agent({
      name: 'Clerk',
      functions: [pay],
      model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'Paid.']),
    })
    const lead = scriptedModel([{ toolCalls: [{ name: 'clerk', input: { task: 'Pay.' } }] }, 'Done.'])
    const office = new Swarm({ name: 'Office', model: lead, agents: [clerk], sessions })
    const worker = await office.work()
    closers.push(() => worker.close())

    const request = telemetry.tracerProvider.getTracer('app').startSpan('POST /orders')
    const { runId } = await context.with(trace.setSpan(context.active(), request), () => office.enqueue('Pay the bill'))
    request.end()
    const { approvals } = await office.result(runId)
    await office.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    expect(await office.result(runId)).toMatchObject({ text: 'Done.' })
    await worker.close()

    const { memory } = await telemetry.exported()
    expect(treeOf(memory)).toEqual([
      'POST /orders',
      // The worker leaves the run to its member, and continues it when that waits and when it has ended.
      '  invoke_workflow Office',
      '    chat scripted',
      '    execute_tool clerk',
      '      invoke_agent Clerk',
      '        chat scripted',
      '      invoke_agent Clerk',
      '        execute_tool pay',
      '        chat scripted',
      '  invoke_workflow Office',
      '    execute_tool clerk',
      '  invoke_workflow Office',
      '    execute_tool clerk',
      '  invoke_workflow Office',
      '    execute_tool clerk',
      '    chat scripted',
    ])
    const segments = memory.filter(({ name }) => name === 'invoke_workflow Office')
    expect(segments.map(({ attributes }) => attributes['agentkit.finish_reason'])).toEqual([
      ...['continued', 'approval', 'continued', 'stop'],
    ])
    expect(segments.slice(1).map(({ links }) => links)).toEqual(segments.slice(0, -1).map(({ spanId }) => [spanId]))
    expect(new Set(memory.map(({ traceId }) => traceId)).size).toBe(1)
  })

  it('has one span, also where a worker tries it while another run has its session', { timeout: 60_000 }, async () => {
    await using telemetry = await exportedTraces()
    const sessions = await open(path('.'))
    closers.push(() => sessions.close?.())
    const held = Promise.withResolvers<string>()
    const model = scriptedModel([() => held.promise, 'Two.'])
    const agent = new Agent({ name: 'Clerk', functions: [], model, sessions })
    // It has the session until its model answers.
    const first = agent.stream('One', { sessionId: 'ada' }).result
    await vi.waitFor(() => expect(model.requests).toHaveLength(1))
    const { runId } = await agent.enqueue('Two', { sessionId: 'ada' })

    await expect(agent.continueRun(runId).result).resolves.toMatchObject({ error: { code: 'session-busy' } })
    held.resolve('One.')
    await first
    await expect(agent.continueRun(runId).result).resolves.toMatchObject({ text: 'Two.' })

    const { memory } = await telemetry.exported()
    const runs = memory.filter(({ name }) => name === 'invoke_agent Clerk')
    expect(runs.map(({ attributes }) => attributes['agentkit.finish_reason'])).toEqual(['stop', 'stop'])
    expect(runs.map(({ attributes }) => attributes['error.type'])).toEqual([undefined, undefined])
  })

  it('has a trace of its own where it was enqueued in none', { timeout: 60_000 }, async () => {
    await using telemetry = await exportedTraces()
    const sessions = await open(path('.'))
    closers.push(() => sessions.close?.())
    const agent = new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['One.', 'Two.']), sessions })
    const worker = await agent.work()
    closers.push(() => worker.close())
    for (const { runId } of await agent.enqueueMany([{ input: 'One' }, { input: 'Two' }])) await agent.result(runId)
    await worker.close()
    const { memory } = await telemetry.exported()
    expect(memory.filter(({ parentSpanId }) => parentSpanId === '').map(({ name }) => name)).toEqual([
      'invoke_agent Clerk',
      'invoke_agent Clerk',
    ])
    expect(named(memory, 'chat scripted')?.links).toEqual([])
  })
})
