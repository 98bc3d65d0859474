import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@agentkit/core'
import { userFolder } from '@agentkit/core/internal'
import { mcp } from '@agentkit/mcp'
import { sqliteSessions } from '@agentkit/sessions'
import { buildPackages } from '@agentkit/test-build'
import { scriptedModel } from '@agentkit/testing'
import { Client as Client2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Transport2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cliFile } from '../__fixtures__/cli-folder.ts'

// The clients start the command as a desktop host does.
const command = (...words: string[]) => [cliFile, 'mcp', ...words]
const patiently = { timeout: 30_000 }

const agents = `import { appendFileSync } from 'node:fs'
import { Agent, Swarm, tool } from 'agentkit'
console.log('the file is loaded')
process.stdout.write('and writes to stdout\\n')
const note = (line) => appendFileSync(process.env.NOTES, line + '\\n')
note('pid ' + process.pid)
let turn = 0
const turns = {
  pay: [{ name: 'pay', input: { amount: 5 } }],
  hang: [{ name: 'hang', input: {} }],
}
const model = {
  id: 'test/model',
  async *stream({ messages }) {
    const last = messages.at(-1)
    const asked = last.role === 'user' ? turns[String(last.content)] : undefined
    if (last.content === 'fail') throw new Error('secret of the model')
    const calls = (asked ?? []).map((call) => ({ type: 'tool-call', callId: 'c' + ++turn, ...call }))
    const text = last.role === 'tool' ? 'Done: ' + last.content : 'Hello ' + String(last.content) + '.'
    if (calls.length === 0) yield { type: 'text-delta', text }
    for (const call of calls) yield call
    const content = calls.length > 0 ? calls : [{ type: 'text', text }]
    yield { type: 'finish', reason: calls.length > 0 ? 'tool-calls' : 'stop', usage: {}, message: { v: 1, role: 'assistant', content } }
  },
}
const schema = { type: 'object' }
const pay = tool({ name: 'pay', description: 'Pays.', input: schema, needsApproval: true, execute: () => { note('paid'); return 'paid' } })
const hang = tool({
  name: 'hang', description: 'Hangs.', input: schema,
  execute: (_, { signal }) => { console.log('hanging'); note('hanging'); return new Promise((_, reject) => signal.addEventListener('abort', () => { note('aborted'); reject(signal.reason) })) },
})
const options = { model, sessions: process.env.SESSIONS }
export const agent = new Agent({ name: 'Clerk', functions: [pay, hang], ...options })
export const team = new Swarm({ name: 'Team', agents: [new Agent({ name: 'One', functions: [], model }), new Agent({ name: 'Two', functions: [], model })], collaboration: 'sequence', ...options })
setInterval(() => {}, 1000)
await agent.run()
`

const files = `import { Agent } from 'agentkit'
const knowledge = {
  folder: process.env.FILES, tools: () => [], sync: async () => ({ warnings: [] }), files: async () => [], records: async () => [],
  separateUsers() {}, close: async () => {},
}
export default new Agent({ name: 'Files', functions: [], model: 'offline/extractive', sessions: process.env.SESSIONS, configPath: 'users.toml', retriever: knowledge })
export const other = new Agent({ name: 'Other', functions: [], model: 'offline/extractive', sessions: process.env.SESSIONS })
`

let folder: string
let notes: string
let env: Record<string, string>
const children: ChildProcess[] = []
const closers: (() => Promise<void>)[] = []
beforeAll(buildPackages)
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-mcp-')))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'agents.js'), agents)
  writeFileSync(
    join(folder, 'two.js'),
    agents.replace('export const agent', 'export const clerk').replace('agent.run()', 'clerk.run()'),
  )
  writeFileSync(join(folder, 'files.js'), files)
  writeFileSync(join(folder, 'users.toml'), '[server]\nper_user_files = true\n')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/agentkit'), 'dir')
})
beforeEach(() => {
  const store = mkdtempSync(join(folder, 'store-'))
  notes = join(store, 'notes.txt')
  writeFileSync(notes, '')
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  env = { PATH, NODE_COMPILE_CACHE, SESSIONS: join(store, 'sessions.db'), NOTES: notes }
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const noted = () => readFileSync(notes, 'utf8')
const processIds = () => [...noted().matchAll(/^pid (\d+)$/gm)].map(([, id]) => Number(id))
function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

type Started = { client: Client1 | Client2; log: () => string }
const info = { name: 'test', version: '1' }
const approving = { action: 'accept' as const, content: { approve: true } }

async function start2(words: string[], elicits: boolean, cwd = folder): Promise<Started> {
  const transport = new Transport2({
    command: process.execPath,
    args: command(...words),
    cwd,
    env,
    stderr: 'pipe',
  })
  const client = new Client2(info, {
    capabilities: elicits ? { elicitation: {} } : {},
    versionNegotiation: { mode: 'auto' },
  })
  if (elicits) client.setRequestHandler('elicitation/create', () => approving)
  const log = collect(transport.stderr)
  await client.connect(transport)
  closers.push(() => client.close())
  return { client, log }
}

async function start1(words: string[], elicits: boolean): Promise<Started> {
  const transport = new Transport1({
    command: process.execPath,
    args: command(...words),
    cwd: folder,
    env,
    stderr: 'pipe',
  })
  const client = new Client1(info, { capabilities: elicits ? { elicitation: {} } : {} })
  if (elicits) client.setRequestHandler(ElicitRequestSchema, () => approving)
  const log = collect(transport.stderr)
  await client.connect(transport as never) // its optional properties are declared in another way
  closers.push(() => client.close())
  return { client, log }
}

function collect(stream: { on(event: 'data', listener: (chunk: unknown) => void): unknown } | null): () => string {
  let text = ''
  stream?.on('data', (chunk) => {
    text += String(chunk)
  })
  return () => text
}

type Result = { content: { text: string }[]; structuredContent: Record<string, unknown>; isError?: boolean }
async function ask({ client }: Started, message: string, signal?: AbortSignal): Promise<Result> {
  const params = { name: 'ask_agent', arguments: { message } }
  const options = { ...(signal && { signal }), timeout: 60_000 }
  const result =
    client instanceof Client1 ? client.callTool(params, undefined, options) : client.callTool(params, options)
  return (await result) as unknown as Result // what `ask_agent` promises
}

it('works in the folder of the project of an absolute path, wherever a host starts it', async () => {
  mkdirSync(join(folder, 'src'), { recursive: true })
  const code = `import { Agent } from 'agentkit'
    export default new Agent({ name: 'Where', functions: [], model: 'offline/extractive', sessions: 'own.db' })`
  writeFileSync(join(folder, 'src/where.js'), code)
  const elsewhere = mkdtempSync(join(tmpdir(), 'agentkit-host-'))
  try {
    const started = await start2([join(folder, 'src/where.js')], false, elsewhere)
    expect((await ask(started, 'Hello')).isError).toBeFalsy()
    expect([existsSync(join(folder, 'own.db')), readdirSync(elsewhere)]).toEqual([true, []])
  } finally {
    rmSync(elsewhere, { recursive: true, force: true })
  }
})

describe.each([
  ['2', start2],
  ['1', start1],
] as const)('agentkit mcp, started by the client of the SDK %s', (_, start) => {
  it("answers, while the output of the user's code goes to stderr", async () => {
    const started = await start(['agents.js'], false)
    expect((await started.client.listTools()).tools.map(({ name }) => name)).toEqual(['ask_agent'])
    expect((await ask(started, 'Ada')).structuredContent).toMatchObject({ answer: 'Hello Ada.', finish_reason: 'stop' })
    const failed = await ask(started, 'fail')
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'The model provider failed.' }] })
    await expect.poll(started.log).toContain('the file is loaded\nand writes to stdout')
    await expect.poll(started.log).toContain('secret of the model')
    await started.client.close()
    await expect.poll(() => processIds().filter(isRunning), patiently).toEqual([])
  })

  it('asks the user to approve, and cancels the run of a cancelled call', async () => {
    const started = await start(['agents.js'], true)
    expect((await ask(started, 'pay')).structuredContent).toMatchObject({ answer: 'Done: paid', finish_reason: 'stop' })
    expect(noted()).toContain('paid')
    const controller = new AbortController()
    const hanging = ask(started, 'hang', controller.signal)
    await expect.poll(noted, patiently).toContain('hanging')
    controller.abort()
    await expect(hanging).rejects.toThrow('abort')
    await expect.poll(noted, patiently).toContain('aborted')
  })

  it('names the run that waits, where the client cannot ask', async () => {
    const { structuredContent, content } = await ask(await start(['agents.js'], false), 'pay')
    expect(structuredContent.finish_reason).toBe('approval')
    expect(content[0]?.text).toContain(`/api/v1/runs/${structuredContent.run_id}/approvals/`)
  })

  it('serves a swarm, for the user of --user', async () => {
    const started = await start(['two.js', '--agent', 'team', '--user', 'ann'], false)
    expect((await ask(started, 'Ada')).structuredContent.answer).toContain('Hello')
    await started.client.close()
    const sessions = sqliteSessions(env.SESSIONS ?? '')
    expect(await sessions.list({ agentId: 'team', userId: 'ann' })).toHaveLength(1)
    await sessions.close()
  })
})

it.each([
  [['files.js', '--user', 'ann'], ['of ann.md']],
  [['files.js'], []],
])('agentkit mcp %j shows no files of another user', async (words, expected) => {
  const path = mkdtempSync(join(folder, 'files-'))
  for (const user of ['ann', 'eve', 'default']) {
    mkdirSync(join(path, userFolder(user)))
    writeFileSync(join(path, userFolder(user), `of ${user}.md`), 'A note.')
  }
  env.FILES = path
  const { client } = await start2([...words], false)
  expect(client.getServerVersion()?.name).toBe('files')
  expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(expected)
})

it('is a tool of another agent, by mcp()', async () => {
  const tools = await mcp({ command: process.execPath, args: command('agents.js'), cwd: folder, env, pins: false })
  const turns = [{ toolCalls: [{ name: 'ask_agent', input: { message: 'Ada' } }] }, 'It says hello.']
  const asking = new Agent({ name: 'Asking', functions: [tools], model: scriptedModel(turns) })
  const { text, messages } = await asking.stream('Ask it.').result
  expect(text).toBe('It says hello.')
  expect(JSON.stringify(messages.find(({ role }) => role === 'tool')?.content)).toContain('Hello Ada.')
  await asking.close()
  await expect.poll(() => processIds().filter(isRunning), patiently).toEqual([])
})

it('answers by the offline model where no model and no key is set, and prints a notice on stderr', async () => {
  writeFileSync(
    join(folder, 'keyless.js'),
    "import { Agent } from 'agentkit'\nexport default new Agent({ name: 'Keyless', sessions: process.env.SESSIONS })\n",
  )
  const started = await start2(['keyless.js'], false)
  const { content, isError } = await ask(started, 'Hello!')
  expect([isError, content[0]?.text]).toEqual([undefined, expect.stringContaining('not a language model')])
  expect(started.log()).toContain('offline/extractive')
})

describe('the process of agentkit mcp', () => {
  function begin(...words: string[]): { child: ChildProcess; out: () => string; error: () => string } {
    const child = spawn(process.execPath, command(...words), { cwd: folder, env })
    children.push(child)
    return { child, out: collect(child.stdout), error: collect(child.stderr) }
  }
  const send = (child: ChildProcess, method: string, params: object, id?: number) =>
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params })}\n`)
  const initialize = (child: ChildProcess) =>
    send(child, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info }, 1)

  it('has the one agent of the configuration where there is no file, and ends too', async () => {
    const cwd = mkdtempSync(join(folder, 'toml-'))
    writeFileSync(
      join(cwd, 'agentkit_config.toml'),
      '[gardener]\nmodel = "offline/extractive"\ninstruction = "You know gardens."\n',
    )
    const child = spawn(process.execPath, command(), { cwd, env })
    children.push(child)
    const out = collect(child.stdout)
    initialize(child)
    await expect.poll(out, patiently).toContain('"name":"gardener"')
    child.stdin?.end()
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  })

  it.each(['stdin ends', 'SIGTERM', 'SIGINT'] as const)('ends with 0 when %s, and its runs before it', async (how) => {
    const { child, out } = begin('agents.js')
    initialize(child)
    await expect.poll(out, patiently).toContain('"serverInfo"')
    send(child, 'notifications/initialized', {})
    send(child, 'tools/call', { name: 'ask_agent', arguments: { message: 'hang' } }, 2)
    await expect.poll(noted, patiently).toContain('hanging')
    if (how === 'stdin ends') child.stdin?.end()
    else child.kill(how)
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(noted()).toContain('aborted')
    const sessions = sqliteSessions(env.SESSIONS ?? '')
    const [session] = await sessions.list({ agentId: 'clerk', userId: 'default' })
    const turns = await sessions.turns({ agentId: 'clerk', userId: 'default', sessionId: session?.sessionId ?? '' })
    expect(turns.map(({ status }) => status)).toEqual(['failed'])
    await sessions.close()
  })

  it('writes only the protocol to stdout, for any input', async () => {
    const { child, out, error } = begin('agents.js')
    child.stdin?.write('not json\n\n{"jsonrpc":"2.0"}\n[]\nnull\n')
    initialize(child)
    await expect.poll(out, patiently).toContain('"serverInfo"')
    send(child, 'notifications/initialized', {})
    send(child, 'tools/call', { name: 'nope', arguments: {} }, 2)
    send(child, 'tools/call', { name: 'ask_agent', arguments: {} }, 3)
    send(child, 'tools/call', { name: 'ask_agent', arguments: { message: 'Ada' } }, 4)
    await expect.poll(out, patiently).toContain('Hello Ada.')
    const lines = out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true)
    expect(lines.find(({ id }) => id === 2)?.error).toMatchObject({ code: -32602 })
    expect(lines.find(({ id }) => id === 3)?.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('message is required'),
    })
    expect(error()).toContain('warning: ')
    child.stdin?.end()
    await once(child, 'exit')
  })

  it('ends when a message never ends', async () => {
    const { child, error } = begin('agents.js')
    child.stdin?.on('error', () => {})
    const chunk = 'a'.repeat(1_000_000)
    for (let index = 0; index < 20; index++) child.stdin?.write(chunk)
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(error()).toMatch(/warning: .*(?:buffer|size)/i)
  })

  it.each([
    [['two.js'], 2, '"two.js" has the agents clerk, team. Pass one by --agent <id>, or export one as default.'],
    [['two.js', '--agent', 'tea'], 2, 'Did you mean "team"?'],
    [['agent.js'], 2, 'Did you mean "agents.js"?'],
    [['agents.js', '--user', ''], 2, '--user has 1 to 128 characters'],
    [['agents.js', '--port', '1'], 2, "unknown option '--port'"],
  ])('ends with an error for %j', async (words, expected, sentence) => {
    const { child, out, error } = begin(...words)
    const [code] = await once(child, 'exit')
    expect(error()).toContain(sentence)
    expect([code, out()]).toEqual([expected, ''])
  })
})
