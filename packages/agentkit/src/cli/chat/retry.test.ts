import { Agent, AgentKitError } from '@agentkit/core'
import { serve } from '@agentkit/server'
import { sqliteSessions } from '@agentkit/sessions'
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { cliFolder } from '../../__fixtures__/cli-folder.ts'
import { hasTmux, Terminal } from '../../__fixtures__/terminal.ts'

const { folder, write, agentkit } = cliFolder()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function served(
  turns: readonly ScriptedTurn[],
): Promise<{ url: string; model: ScriptedModel; turns(): Promise<string[]> }> {
  const sessions = sqliteSessions(':memory:')
  const model = scriptedModel(turns)
  const agent = new Agent({ name: 'Clerk', model, sessions, onBusy: 'reject' })
  const server = await serve(agent, { port: 0, log: () => {} })
  closers.push(
    () => server.close(),
    async () => sessions.close(),
  )
  const key = { agentId: agent.id, userId: 'default', sessionId: 's' }
  return { url: server.url, model, turns: async () => (await sessions.turns(key)).map(({ status }) => status) }
}

const refusal = { error: new AgentKitError('bad-request', 'No.') }

function asked({ requests }: ScriptedModel): unknown[] {
  return requests.map(({ messages }) => messages.at(-1)?.content)
}

describe('/retry', () => {
  it('asks the question again that has failed, in the place of its run, and leaves the answer before it', async () => {
    const { url, model, turns } = await served(['One.', refusal, 'Two.'])
    const { out } = await agentkit(['chat', url, '--session', 's'], { input: 'First\nSecond\n/retry\n' })
    expect(out).toMatch(/One\.[\s\S]*bad-request: [\s\S]*Two\./)
    expect(asked(model)).toEqual(['First', 'Second', 'Second'])
    expect(await turns()).toEqual(['done', 'replaced', 'done'])
  })

  it('asks the question of a file again that was refused before its run began', async () => {
    write(
      'denies.ts',
      `import { Agent } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
const turns = ['One.', 'Two.']
let inputs = 0
const hooks = { input: () => { if (++inputs === 2) throw new Error('Not now.') } }
export default new Agent({ name: 'Clerk', hooks, model: scriptedModel(turns), sessions: ':memory:' })
`,
    )
    const { out } = await agentkit(['chat', 'denies.ts'], { input: 'First\nSecond\n/retry\n' })
    expect(out).toMatch(/One\.[\s\S]*Two\./)
    expect(out).not.toContain('not-found')
  })
})

describe.skipIf(!hasTmux)('/retry in a terminal', { timeout: 60_000 }, () => {
  it.each([
    ['a question', 'Second', ['First', 'Second', 'Second'], ['done', 'failed', 'done']],
    ['another /retry', '/retry', ['First', 'First', 'First'], ['replaced', 'failed', 'done']],
  ])('asks again after %s that was stopped before its answer began', async (_, line, questions, statuses) => {
    const never = (_request: unknown, signal: AbortSignal): Promise<string> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const { url, model, turns } = await served(['One.', never, 'Two.'])
    using terminal = new Terminal(['chat', url, '--session', 's'], { cwd: folder })
    await terminal.shows('›')
    terminal.type('First')
    await terminal.shows(/One\.[\s\S]*›/)
    terminal.type(line)
    await expect.poll(() => model.requests.length).toBe(2)
    terminal.press('C-c')
    await terminal.shows(/stopped\n›/)
    await expect.poll(async () => (await turns()).at(-1)).toBe('failed')
    terminal.type('/retry')
    await terminal.shows(/Two\.[\s\S]*›/)
    expect(asked(model)).toEqual(questions)
    expect(await turns()).toEqual(statuses)
  })

  it('asks a question again of which the conversation has nothing, as it was busy', async () => {
    const gate = Promise.withResolvers<string>()
    const { url, model, turns } = await served([() => gate.promise, 'Two.'])
    const first = fetch(`${url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: 'default', session_id: 's', messages: [{ role: 'user', content: 'First' }] }),
    })
    await expect.poll(() => model.requests.length).toBe(1)
    using terminal = new Terminal(['chat', url, '--session', 's'], { cwd: folder })
    await terminal.shows('›')
    terminal.type('Second')
    await terminal.shows(/session-busy: [\s\S]*›/)
    gate.resolve('One.')
    await (await first).text()
    terminal.type('/retry')
    await terminal.shows(/Two\.[\s\S]*›/)
    expect(await turns()).toEqual(['done', 'done'])
  })
})
