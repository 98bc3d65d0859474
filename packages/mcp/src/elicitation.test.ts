import { json } from 'node:stream/consumers'
import { Agent, type AgentEvent, type AgentRun, type ToolContext } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listen, newServer, oldServer } from './__fixtures__/sdk-servers.ts'
import { call, callContext, sdkServer, tempFolder } from './__fixtures__/servers.ts'
import { leaveCall } from './elicitation.ts'
import { mcp } from './mcp.ts'
import type { McpOptions } from './options.ts'

type Request = Extract<AgentEvent, { type: 'approval-request' }>
type Ask = {
  kinds: string[]
  decide?: true | string | ((request: Request, run: AgentRun) => unknown)
  options?: Partial<McpOptions>
}

const places = ['1.x over HTTP', '1.x over stdio', '2.x over HTTP', '2.x over stdio'] as const

/** Calls `ask` of a server in one step, once per kind, and decides what it asks. */
async function ask(place: (typeof places)[number], { kinds, decide, options = {} }: Ask) {
  using temp = tempFolder()
  const http = await (place === '1.x over HTTP'
    ? oldServer({ sessions: true })
    : place === '2.x over HTTP'
      ? newServer()
      : undefined)
  const own = http ? { url: http.url } : sdkServer(place === '2.x over stdio' ? 'new' : 'old', temp.folder)
  const tools = await mcp({ ...own, name: 'desk', pins: false, ...options })
  const calls = kinds.map((kind) => ({ name: 'ask', input: { kind } }))
  const model = scriptedModel([{ toolCalls: calls }, 'Done.'])
  const agent = new Agent({ name: 'Clerk', functions: [tools], model })
  const run = agent.stream('Ask.')
  const requests: Request[] = []
  if (decide !== undefined)
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      requests.push(event)
      if (typeof decide === 'function') await decide(event, run)
      else if (decide === true) run.approve(event.approvalId)
      else run.deny(event.approvalId, decide)
    }
  const { messages, finishReason } = await run.result
  await agent.close()
  await http?.close()
  const answers = messages.filter((message) => message.role === 'tool').map(({ content }) => content)
  return { finishReason, requests, answers, answer: String(answers[0]) }
}

/** A server of the revision 2026-07-28 that answers calls with what `answer` returns: a result, or a status. */
async function rawServer(answer: (round: number) => object | number) {
  const results: Record<string, object> = {
    'server/discover': {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
    },
    'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' },
  }
  let calls = 0
  const server = await listen(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string }
    const given = results[method] ?? answer(++calls)
    if (typeof given === 'number') return void response.writeHead(given).end()
    const result = { resultType: 'complete', ...given }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  return { ...server, calls: () => calls }
}

const requiring = (method: string, params: object) => ({
  resultType: 'input_required',
  inputRequests: { one: { method, params } },
})

describe('a server of the revision 2026-07-28', () => {
  it.each([
    ['sampling/createMessage', { messages: [], maxTokens: 9 }],
    ['roots/list', {}],
    ['elicitation/create', { mode: 'form' }],
  ])('that requires input by %s with %o is refused', async (method, params) => {
    const server = await rawServer(() => requiring(method, params))
    const tools = await mcp({ url: server.url, pins: false })
    await expect(call(tools, 'ask')).rejects.toThrow(`requires input by "${method}", which is refused`)
    await tools.close()
    await server.close()
  })

  it('that has asked is not called again when its connection is lost: the call may have begun', async () => {
    const form = requiring('elicitation/create', {
      message: 'Fine?',
      requestedSchema: { type: 'object', properties: {} },
    })
    const server = await rawServer((round) => (round === 1 ? form : 404))
    const tools = await mcp({ url: server.url, pins: false })
    await expect(call(tools, 'ask')).rejects.toThrow('it may have been executed')
    expect(server.calls()).toBe(2)
    await tools.close()
    await server.close()
  })
})

describe('a server of the SDK 1.x', () => {
  it('that refuses a call until an address was opened has it shown', async () => {
    const server = await oldServer()
    const tools = await mcp({ url: server.url, pins: false })
    await expect(call(tools, 'login')).rejects.toThrow('It asked to open http://127.0.0.1:1/login .')
    await tools.close()
    await server.close()
  })
})

it('a server that asks during a call learns which one, also after earlier calls', async () => {
  using temp = tempFolder()
  const asked: unknown[] = []
  const tools = await mcp({
    ...sdkServer('old', temp.folder),
    onElicit(_request, { tool }) {
      asked.push(tool)
      return { action: 'decline' }
    },
  })
  for (const kind of ['boolean', 'nothing']) await call(tools, 'ask', { kind })
  expect(asked).toEqual(['ask', 'ask'])
  await tools.close()
})

describe.each(['1.x over stdio', '2.x over stdio'] as const)(
  'a server of the SDK %s that waits for a person',
  (place) => {
    it('waits longer than its requests may take', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      const decide = async ({ approvalId }: Request, run: AgentRun): Promise<void> => {
        await vi.advanceTimersByTimeAsync(3_600_000)
        run.approve(approvalId)
      }
      const { answer } = await ask(place, { kinds: ['boolean'], decide }).finally(() => vi.useRealTimers())
      expect(answer).toContain('"action":"accept"')
    })

    it('waits no longer than the run', async () => {
      const decide = (_request: Request, run: AgentRun): void => run.cancel()
      const { finishReason } = await ask(place, { kinds: ['boolean'], decide })
      expect(finishReason).toBe('aborted')
    })
  },
)

describe.each(places)('a server of the SDK %s that requests input', (place) => {
  beforeAll(() => {
    vi.stubEnv('CI', '')
  })
  afterAll(() => {
    vi.unstubAllEnvs()
  })

  it('by a boolean asks the reader, whose approval is its true', async () => {
    const { requests, answer } = await ask(place, { kinds: ['boolean'], decide: true })
    expect(answer).toContain('"action":"accept"')
    expect(answer).toContain('"content":{"confirm":true}')
    const input = { message: 'Is boolean fine?', requestedSchema: { properties: { confirm: { title: 'Really?' } } } }
    expect(requests).toMatchObject([{ kind: 'approval', name: 'ask', input }])
  })

  it('by a boolean and an optional text asks the reader, and leaves the text empty', async () => {
    const { requests, answer } = await ask(place, { kinds: ['reasoned'], decide: true })
    expect(requests).toHaveLength(1)
    expect(answer).toContain('"content":{"confirm":true}')
  })

  it('by a form without fields asks the reader, who may decline', async () => {
    const accepted = await ask(place, { kinds: ['nothing'], decide: true })
    expect(accepted.answer).toContain('"action":"accept"')
    const { answer } = await ask(place, { kinds: ['nothing'], decide: 'Not today.' })
    expect(answer).toContain('"action":"decline"')
    expect(answer).toContain('[A person declined what the MCP server "desk" asked: Not today.]')
  })

  it.each(['text', 'several', 'long', 'url'])('by %s is declined, and the result reports it', async (kind) => {
    const { requests, answer } = await ask(place, { kinds: [kind], decide: true })
    expect(requests).toEqual([])
    expect(answer).toContain('"action":"decline"')
    expect(answer).toContain(`[The MCP server "desk" requested input, which was declined: "Is ${kind} fine?`)
    expect(answer.includes('It asked to open http://127.0.0.1:1/login .')).toBe(kind === 'url')
  })

  it('is declined where the run is not iterated', async () => {
    const { answer } = await ask(place, { kinds: ['boolean'] })
    expect(answer).toContain('"action":"decline"')
    expect(answer).toContain('requested input, which was declined')
  })

  it('without end gets a limited number of answers', async () => {
    const { requests, answer } = await ask(place, { kinds: ['often'], decide: true })
    expect(requests).toHaveLength(10)
    const of2x = 'requires input more than 10 times'
    expect(answer).toContain(place.startsWith('2') ? of2x : `${'accept,'.repeat(10)}${'decline,'.repeat(9)}decline`)
  })

  it('is answered by onElicit instead', async () => {
    const asked: unknown[] = []
    const { requests, answer } = await ask(place, {
      kinds: ['text'],
      decide: true,
      options: {
        onElicit({ message }, { server, tool }) {
          asked.push(message, server, tool)
          return { action: 'accept', content: { password: 'open' } }
        },
      },
    })
    expect(requests).toEqual([])
    expect(asked).toEqual(['Is text fine?', 'desk', 'ask'])
    expect(answer).toContain('"content":{"password":"open"}')
  })

  it('for several calls at once asks for each, or declines where it names no call', async () => {
    const { requests, answers } = await ask(place, { kinds: ['boolean', 'nothing'], decide: true })
    if (place === '1.x over stdio') {
      expect(requests).toEqual([])
      for (const answer of answers) expect(answer).toContain('requested input, which was declined')
    } else {
      const asked = requests.map(({ callId, input }) => `${callId} ${Object(input).message}`)
      expect(asked.sort()).toEqual([
        expect.stringMatching(/^\S+ Is boolean fine/),
        expect.stringMatching(/^\S+ Is nothing/),
      ])
      expect(new Set(requests.map(({ callId }) => callId)).size).toBe(2)
      for (const answer of answers) expect(answer).toContain('"action":"accept"')
    }
  })
})

it('shows no user what a server over stdio, which names no call, may have asked another one', async () => {
  using temp = tempFolder()
  const tools = await mcp({ ...sdkServer('old', temp.folder), pins: false })
  const asked = tools.find(({ name }) => name === 'ask')
  const answers = await Promise.all(
    ['ada', 'bob'].map((userId, index) =>
      asked?.execute({ kind: ['boolean', 'url'][index] }, { ...callContext(), userId }),
    ),
  )
  await tools.close()
  for (const answer of answers) {
    expect(answer).toContain('requested input, which was declined: It does not say which of several calls it is for.')
    expect(answer).not.toMatch(/Is (?:boolean|url) fine|login/)
  }
})

it('shows no user what a server over stdio asks about the call of another one that has ended', async () => {
  using temp = tempFolder()
  const tools = await mcp({ ...sdkServer('old', temp.folder), pins: false })
  const execute = (name: string, context: ToolContext) => tools.find((one) => one.name === name)?.execute({}, context)
  const stopped = new AbortController()
  const late = execute('ask-late', callContext(stopped.signal))
  // Sent after it, so that it has begun.
  await execute('cancelled', callContext())
  stopped.abort()
  await expect(late).rejects.toThrow()
  const answer = await execute('wait-for-late', { ...callContext(), userId: 'bob' })
  await tools.close()
  expect(answer).toContain('requested input, which was declined: It does not say which of several calls it is for.')
})

it('keeps the last two users whose calls ended before their answer', () => {
  const left = new Map<string, number>()
  for (const user of ['ann', 'bob', 'ann', 'eve']) leaveCall({ left }, user)
  expect([...left.keys()]).toEqual(['ann', 'eve'])
})
