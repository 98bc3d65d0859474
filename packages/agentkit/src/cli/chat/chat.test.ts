import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, tool, workflow } from '@agentkit/core'
import { type AgentServer, serve } from '@agentkit/server'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { cliFolder } from '../../__fixtures__/cli-folder.ts'
import { serverChatAgent } from './server-chat-agent.ts'

const { write, agentkit } = cliFolder()
const token = 'a-token-of-at-least-16-characters'

write(
  'team.ts',
  `import { Agent, Swarm } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
const sessions = ':memory:'
const research = new Agent({ name: 'Research', functions: [], model: scriptedModel(['Found it.']), sessions })
export default new Swarm({ name: 'Team', agents: [research], model: scriptedModel([{ toolCalls: [{ name: 'research', input: { task: 'Look' } }] }, 'It is found.']), sessions })
`,
)

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A server whose agent has a tool that needs approval. */
async function served(auth = false): Promise<AgentServer & { paid: unknown[] }> {
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needsApproval: true,
    execute: (input) => {
      paid.push(input)
      return 'paid'
    },
  })
  const turns = [
    {
      toolCalls: [
        { name: 'pay', input: { amount: 5 } },
        { name: 'pay', input: { amount: 6 } },
      ],
    },
    'All is paid.',
    'Goodbye.',
  ]
  const sessions = sqliteSessions(':memory:')
  closers.push(() => sessions.close())
  const agent = new Agent({ name: 'Remote Clerk', functions: [pay], model: scriptedModel(turns), sessions })
  const server = await serve(agent, { port: 0, log: () => {}, ...(auth && { auth: { tokens: { [token]: 'ann' } } }) })
  closers.unshift(() => server.close())
  return { ...server, url: server.url, paid }
}

describe('agentkit chat', () => {
  it('reads lines of a pipe, and shows members and their answer', async () => {
    const { code, out, error } = await agentkit(['chat', 'team.ts'], { input: 'Find it\n/tools\n' })
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(
      /→ research \{"task":"Look"\}\n\[research\] begins\n\[research\] done\n← research .*Found it\.\nIt is found\.\n\d+ tokens in/,
    )
    expect(out).toContain('The agent has no tools.')
    expect(out).not.toContain('\u001b')
  })

  it('lists the files of the members of a swarm', async () => {
    write('files/ann.txt', 'Notes of Ann.')
    write(
      'reading.ts',
      `import { Agent, Swarm } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
const model = scriptedModel([{ toolCalls: [{ name: 'reader', input: { task: 'Look' } }] }, 'Done.'])
const knowing = { model: scriptedModel(['Seen.']), retrieve: true, retriever: { folder: 'files' } }
const reader = new Agent({ ...knowing, name: 'Reader', functions: [] })
export const team = new Swarm({ name: 'Team', agents: [reader], model })
`,
    )
    const { out } = await agentkit(['chat', 'reading.ts'], { input: 'Hello\n/files\n' })
    expect(out.split('\n')).toContain('ann.txt')
  })

  it('shows no cost of a chat with a model whose price is not known', async () => {
    write(
      'unpriced.ts',
      `import { Agent, AgentKitError } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
const turns = [{ error: new AgentKitError('bad-request', 'No.') }, 'Hello.']
export default new Agent({ name: 'Clerk', model: scriptedModel(turns), sessions: ':memory:' })
`,
    )
    const { out } = await agentkit(['chat', 'unpriced.ts'], { input: 'Fail\nHello\n/cost\n' })
    expect(out).toMatch(/\n2 answers: \d+ tokens in, \d+ out\.$/)
  })

  it.each([
    ['a run that fails', 'Fail\nHello\n', 1],
    ['a file that is not there', 'Read @notes.md\n', 1],
    ['an unknown command', '/cots\n', 0],
  ])('ends with what became of the questions of a pipe: %s', async (_, input, expected) => {
    write(
      'failing.ts',
      `import { Agent, AgentKitError } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
const turns = [{ error: new AgentKitError('bad-request', 'No.') }, 'Hello.']
export default new Agent({ name: 'Clerk', model: scriptedModel(turns), sessions: ':memory:' })
`,
    )
    expect((await agentkit(['chat', 'failing.ts'], { input })).code).toBe(expected)
  })

  it('talks with a server, and asks for its approvals', async () => {
    const { url, paid } = await served()
    const { code, out, error } = await agentkit(['chat', url], {
      input: 'Pay\ny\nno, too much\nBye\n/sessions\n/cost\n',
    })
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(paid).toEqual([{ amount: 5 }])
    expect(out).toContain('pay needs your approval:')
    expect(out).toContain('All is paid.')
    expect(out).toContain('Goodbye.')
    expect(out).toMatch(/1 {2}\S+ \S+ {2}Pay \(this one\)\n2 answers: /)
  })

  it('sends the results of client tools, asks again for a result that does not fit, and decides on waiting calls', async () => {
    const locate = tool({
      name: 'locate',
      description: 'Where the user is.',
      input: { type: 'object' },
      output: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      client: true,
    })
    const calls = { toolCalls: [{ name: 'locate', input: {} }] }
    const model = scriptedModel([calls, 'It rains.', calls, 'It snows.', calls, 'No idea.'])
    const sessions = sqliteSessions(':memory:')
    const agent = new Agent({ name: 'Guide', functions: [locate], model, sessions })
    const server = await serve(agent, { port: 0, log: () => {} })
    closers.push(
      () => server.close(),
      async () => sessions.close(),
    )
    const first = await agent.stream('Weather?', { sessionId: 'trip', onApproval: 'end' }).result
    expect(first.finishReason).toBe('approval')
    const lines = [
      '/waiting',
      '{"city":"Oslo"}',
      '/waiting',
      'And now?',
      'Bergen',
      '{"city":"Bergen"}',
      'And now?',
      'no, not there',
    ]
    const { out, error } = await agentkit(['chat', server.url, '--session', 'trip'], { input: `${lines.join('\n')}\n` })
    expect(error).toBe('')
    expect(out).toMatch(
      /locate is yours to do.*It rains\..*Nothing waits in this conversation\..*does not fit the tool.*It snows\..*No idea\./s,
    )
    const results = model.requests.map(({ messages }) => messages.at(-1)).filter((message) => message?.role === 'tool')
    expect(results.map((message) => message?.content)).toEqual([
      '{"city":"Oslo"}',
      '{"city":"Bergen"}',
      expect.stringContaining('not there'),
    ])
  })

  it('gives the results of client tools of a file, and asks again for one that does not fit', async () => {
    write(
      'guide.ts',
      `import { Agent, tool } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
const output = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const locate = tool({ name: 'locate', description: 'Where the user is.', input: { type: 'object' }, output, client: true })
const calls = { toolCalls: [{ name: 'locate', input: {} }] }
export default new Agent({ name: 'Guide', functions: [locate], model: scriptedModel([calls, 'It rains.']), sessions: ':memory:' })
`,
    )
    const { code, out, error } = await agentkit(['chat', 'guide.ts'], {
      input: 'Weather?\n5\n{"city":"Oslo"}\n/waiting\n',
    })
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(/locate is yours to do.*does not fit.*← locate .*Oslo.*It rains\..*Nothing waits/s)
  })

  it.each(['a file', 'a server'])('leaves a call of %s undecided when its user leaves', async (place) => {
    write(
      'clerk.ts',
      `import { Agent, tool } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
const pay = tool({ name: 'pay', description: 'Pays.', input: { type: 'object' }, needsApproval: true, execute: () => 'paid' })
const turns = [{ toolCalls: [{ name: 'pay' }] }, 'All is paid.']
export default new Agent({ name: 'Clerk', functions: [pay], model: scriptedModel(turns), sessions: 'clerk.db' })
`,
    )
    const where = place === 'a file' ? 'clerk.ts' : (await served()).url
    const words = ['chat', where, '--session', 'money']
    const left = await agentkit(words, { input: 'Pay' })
    expect(left.out).toMatch(
      /pay waits for a decision: continue this conversation by --session money, then type \/waiting\./,
    )
    const { out } = await agentkit(words, { input: '/waiting\ny\ny\n' })
    expect(out).toMatch(/pay needs your approval[\s\S]*paid/)
  })

  it('stops a run of a server also after its approvals, which leaving its stream does not', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      needsApproval: true,
      execute: () => 'paid',
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }, () => new Promise(() => {})])
    const sessions = sqliteSessions(':memory:')
    const agent = new Agent({ name: 'Slow Clerk', functions: [pay], model, sessions })
    const server = await serve(agent, { port: 0, log: () => {} })
    closers.push(() => server.close().then(() => sessions.close()))
    const remote = await serverChatAgent(new URL(server.url), 'default', async () => '')
    const stop = new AbortController()
    const events = remote.ask({ text: 'Pay', files: [], sessionId: 's' }, async () => ({ approve: true }), stop.signal)
    const reading = (async () => {
      for await (const event of events) if (event.type === 'tool-result') stop.abort()
    })()
    await expect(reading).rejects.toThrow()
    const [run] = await agent.runs({})
    expect(run).toMatchObject({ status: 'failed', finishReason: 'aborted' })
  })

  it('shows the answer of a workflow of a server once, and the texts of its agents as lines', async () => {
    const agent = (name: string, text: string): Agent =>
      new Agent({ name, functions: [], model: scriptedModel([text]) })
    const flow = workflow({ name: 'Flow' }).step(agent('One', 'A draft.')).step(agent('Two', 'The letter.'))
    const server = await serve(flow.asAgent(), { port: 0, log: () => {} })
    closers.push(() => server.close())
    const { out } = await agentkit(['chat', server.url], { input: 'Write\n' })
    expect(out).toMatch(/\[one\] A draft\.\n\[one\] done\n.*\[two\] The letter\.\n\[two\] done\nThe letter\.\n/s)
    expect(out).not.toMatch(/^A draft/m)
  })

  it('sends the other decisions where one was decided elsewhere', async () => {
    for (const elsewhere of [0, 1]) {
      const { url, paid } = await served()
      const remote = await serverChatAgent(new URL(url), 'default', async () => '')
      const { signal } = new AbortController()
      let asked = 0
      const deciding = async ({ approvalId }: { approvalId: string }) => {
        if (asked++ === elsewhere) {
          const [waiting] = await remote.waiting('s')
          const path = `/api/v1/runs/${waiting?.runId}/approvals/${approvalId}`
          const body = JSON.stringify({ user_id: 'default', approve: false })
          const headers = { 'content-type': 'application/json' }
          expect(await fetch(`${url}${path}`, { method: 'POST', headers, body })).toMatchObject({ status: 200 })
        }
        return { approve: true }
      }
      let shown = ''
      const reading = (async () => {
        for await (const event of remote.ask({ text: 'Pay', files: [], sessionId: 's' }, deciding, signal)) {
          if (event.type === 'text-delta') shown += event.text
        }
      })()
      await expect(reading).rejects.toThrow(/session-conflict: .*denied/)
      await expect.poll(() => paid).toEqual([{ amount: elsewhere === 0 ? 6 : 5 }])
      expect(await remote.waiting('s')).toEqual([])
      if (elsewhere === 0) expect(shown).toBe('All is paid.')
    }
  })

  it('asks for no further approval of a server once it is stopped', async () => {
    const { url } = await served()
    const remote = await serverChatAgent(new URL(url), 'default', async () => '')
    const stop = new AbortController()
    let asked = 0
    const deciding = async () => {
      asked++
      stop.abort()
      return { approve: false }
    }
    const events = remote.ask({ text: 'Pay', files: [], sessionId: 's' }, deciding, stop.signal)
    const reading = (async () => {
      for await (const event of events) expect(event.type).not.toBe('run-end')
    })()
    await expect(reading).rejects.toThrow('aborted')
    expect(asked).toBe(1)
    expect(await remote.waiting('s')).toEqual([])
  })

  it('sends its token, and takes none as an argument', async () => {
    const { url } = await served(true)
    const call = { input: '/tools\n', env: { AGENTKIT_TOKEN: token } }
    expect(await agentkit(['chat', url], call)).toMatchObject({ code: 0, out: 'pay: Pays.' })
    const without = await agentkit(['chat', url], { input: '' })
    expect(without).toMatchObject({ code: 2, error: 'The server needs a token: set AGENTKIT_TOKEN.' })
    const wrong = await agentkit(['chat', url], { input: '', env: { AGENTKIT_TOKEN: 'not-the-token-of-this-server' } })
    expect(wrong).toMatchObject({ code: 2, error: `${url} refuses the token. Set AGENTKIT_TOKEN.` })
    const noToken = await agentkit(['chat', url], { input: '', env: { AGENTKIT_TOKEN: 'abcd…' } })
    expect(noToken).toMatchObject({ code: 2, error: 'The token has characters that no token has. Set AGENTKIT_TOKEN.' })
    for (const user of ['user:secret', ':secret']) {
      const { code, error } = await agentkit(['chat', url.replace('//', `//${user}@`)], { input: '' })
      expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('takes no password and no token') })
      expect(error).not.toContain('secret')
    }
  })

  it('takes its token from the .env of the folder, where the environment has none', async () => {
    const { url } = await served(true)
    write('.env', `AGENTKIT_TOKEN=${token}\n`)
    closers.push(async () => write('.env', ''))
    expect(await agentkit(['chat', url], { input: '/tools\n' })).toMatchObject({ code: 0, out: 'pay: Pays.' })
    const wrong = await agentkit(['chat', url], { input: '', env: { AGENTKIT_TOKEN: 'not-the-token-of-this-server' } })
    expect(wrong).toMatchObject({ code: 2, error: `${url} refuses the token. Set AGENTKIT_TOKEN.` })
  })

  it('takes the token to no other server', async () => {
    const { url } = await served()
    const redirecting = createServer((_, response) => response.writeHead(307, { location: url }).end())
    closers.push(async () => redirecting.close())
    await once(redirecting.listen(0, '127.0.0.1'), 'listening')
    const { port } = redirecting.address() as AddressInfo // it listens
    const { code, error } = await agentkit(['chat', `http://127.0.0.1:${port}`], {
      input: 'Hi\n',
      env: { AGENTKIT_TOKEN: token },
    })
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('does not answer') })
  })

  it('reports on a separate line that the connection was lost within an answer', async () => {
    const event = { type: 'text-delta', text: 'Hel', seq: 1, runId: 'run_1', path: [] }
    const breaking = createServer((request, response) => {
      if (request.url?.includes('info')) return void response.end('{"id":"a","name":"A"}')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(event)}\n\n`)
      // After what was written, and without an end of the answer.
      response.socket?.end()
    })
    closers.push(async () => breaking.close())
    await once(breaking.listen(0, '127.0.0.1'), 'listening')
    const { port } = breaking.address() as AddressInfo // it listens
    const { code, out } = await agentkit(['chat', `http://127.0.0.1:${port}`], { input: 'Hi\n' })
    expect({ code, out }).toEqual({ code: 1, out: 'Hel\nThe connection was lost before the answer was complete.' })
  })

  it.each<[string, number, string, string]>([
    [
      'another path of a server',
      404,
      '{"code":"not-found","detail":"There is no such resource."}',
      'answers with 404, not-found: There',
    ],
    [
      'a server that fails',
      500,
      '{"code":"internal-error","detail":"It failed."}',
      'answers with 500, internal-error: It failed.',
    ],
    ['a server of another kind', 404, '{"detail":"Not Found"}', 'answers with 404. Is it an agentkit server?'],
    ['a page', 200, '<html>', 'There is no agentkit server at'],
  ])('refuses %s, with 2', async (_, status, body, problem) => {
    const other = createServer((_request, response) => response.writeHead(status).end(body))
    closers.push(async () => other.close())
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const { port } = other.address() as AddressInfo // it listens
    const { code, error } = await agentkit(['chat', `http://127.0.0.1:${port}`], { input: 'Hi\n' })
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(problem) })
    expect(error).not.toContain('at file:')
  })

  it.each([
    ['a server that is not there', ['http://127.0.0.1:1023'], 'http://127.0.0.1:1023 does not answer (ECONNREFUSED).'],
    ['an address that is none', ['http://'], 'is not an address'],
    ['a missing file', ['tem.ts'], 'Did you mean "team.ts"?'],
    ['an address without http://', ['localhost:8000'], 'Did you mean "http://localhost:8000"?'],
    ['another scheme, without its password', ['htp://u:secret@host/?x=1'], 'Did you mean "http://host"?'],
    ['an empty session', ['--session', ''], '--session has 1 to 128 characters'],
    ['an unknown option', ['--agnt', 'x'], '(Did you mean --agent?)'],
    ['a token in the address', ['http://127.0.0.1:1023/?token=x'], 'takes no password and no token'],
    ['an agent of a server', ['http://127.0.0.1:1023', '--agent', 'x'], '--agent is for a file'],
  ])('refuses %s, with 2', async (_, words, problem) => {
    const { code, error } = await agentkit(['chat', ...words], { input: '' })
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(problem) })
  })
})
