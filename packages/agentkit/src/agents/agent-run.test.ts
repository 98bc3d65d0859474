import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { SDKContext } from '../config/sdk-context.ts'
import { Agent } from './agent.ts'

const folder = useFolder()

/** One question over HTTP, as a form. */
async function ask(url: string, content: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = new FormData()
  body.set('user_id', 'ada')
  body.set('session_id', 'first')
  body.set('chat_data', JSON.stringify({ messages: [{ role: 'user', content }] }))
  return fetch(`${url}/api/v1/chat`, { method: 'POST', body, headers })
}

describe('agent.run', () => {
  it('serves the chat endpoint, and a restart keeps the session', async () => {
    const first = new Agent({ name: 'Notes', functions: [], model: scriptedModel(['Noted.']) })
    const server = await first.run({ port: 0 })
    const response = await ask(server.url, 'My cat is Tom.')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('Noted.')
    await server.close()
    await first.close()
    expect(existsSync('agentkit-data/sessions.db')).toBe(true)

    const model = scriptedModel(['Tom.'])
    const second = new Agent({ name: 'Notes', functions: [], model })
    const restarted = await second.run({ port: 0 })
    const answer = await ask(restarted.url, 'What is my cat called?', { accept: 'application/json' })
    expect(await answer.json()).toMatchObject({ answer: 'Tom.', session_id: 'first', finish_reason: 'stop' })
    expect(model.requests[0]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'My cat is Tom.'],
      ['assistant', [{ type: 'text', text: 'Noted.' }]],
      ['user', 'What is my cat called?'],
    ])
    await restarted.close()
    await second.close()
  })

  it('works on background runs, unless `worker` is false', async () => {
    const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel(['Noted.']) })
    const serving = await agent.run({ port: 0, worker: false })
    const { runId } = await agent.enqueue('My cat is Tom.')
    expect(await agent.runs({ status: 'queued' })).toMatchObject([{ runId }])
    await serving.close()
    const working = await agent.run({ port: 0 })
    expect(await agent.result(runId)).toMatchObject({ text: 'Noted.' })
    await working.close()
    await agent.close()
  })

  it('sends notices of background runs to [webhooks]', async () => {
    vi.stubEnv('HOOK_SECRET', 'a-secret-of-the-test')
    const received: unknown[] = []
    const hook = createServer((request, response) => {
      void json(request)
        .then((body) => received.push(body))
        .finally(() => response.writeHead(204).end())
    })
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
    const { port } = hook.address() as AddressInfo // of a server that listens on a port
    folder.write('agentkit_config.toml', `[webhooks]\nurl = "http://127.0.0.1:${port}"\nsecret_env = "HOOK_SECRET"\n`)
    const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel(['Noted.']) })
    const server = await agent.run({ port: 0 })
    const { runId } = await agent.enqueue('My cat is Tom.', { userId: 'ann' })
    await vi.waitUntil(() => received.length > 0, { timeout: 30_000 })
    expect(received).toEqual([
      {
        type: 'run.done',
        timestamp: expect.stringMatching(/Z$/),
        data: { run_id: runId, agent_id: 'notes', user_id: 'ann', session_id: null, status: 'done' },
      },
    ])
    await server.close()
    await agent.close()
    hook.close()
  })

  it.each([true, false])('refuses [webhooks] whose secret is not set, with `worker: %s`', async (worker) => {
    folder.write('agentkit_config.toml', '[webhooks]\nurl = "http://127.0.0.1:1"\nsecret_env = "NO_SECRET"\n')
    const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel([]) })
    await expect(agent.run({ port: 0, worker })).rejects.toMatchObject({ code: 'invalid-config' })
    await agent.close()
  })

  it.each([8000, null, '8000', [8000]])('refuses %o as its options', async (options) => {
    const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel([]) })
    await expect(agent.run(options as object)).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringContaining('Known: host, port,'),
    })
    await agent.close()
  })

  it('serves the offline model, by name', async () => {
    const agent = new Agent({ name: 'Notes', functions: [], model: 'offline/extractive' })
    const server = await agent.run({ port: 0 })
    const response = await ask(server.url, 'Hello, who are you?')
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('offline')
    await server.close()
    await agent.close()
  })

  it('requires the tokens of [server]', async () => {
    vi.stubEnv('NOTES_TOKENS', 'a-secret-of-ada-1=ada')
    folder.write('agentkit_config.toml', '[server]\nport = 0\nauth_tokens_env = "NOTES_TOKENS"\n')
    const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel(['Hello']) })
    const server = await agent.run()
    expect((await ask(server.url, 'Hi')).status).toBe(401)
    expect((await ask(server.url, 'Hi', { authorization: 'Bearer a-secret-of-ada-1' })).status).toBe(200)
    await server.close()
    await agent.close()
  })

  it('serves the sample prompts of the configuration', async () => {
    folder.write('agentkit_config.toml', '[sample_prompts]\nprompts = ["What can you do?"]\n')
    const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel([]) })
    const server = await agent.run({ port: 0 })
    const response = await fetch(`${server.url}/api/v1/sample_prompts`)
    expect(await response.json()).toEqual({ sample_prompts: ['What can you do?'] })
    await server.close()
    await agent.close()
  })

  it('removes its signal handlers when its server closes', async () => {
    const listeners = (): number[] =>
      ['SIGINT', 'SIGTERM', 'unhandledRejection'].map((name) => process.listenerCount(name))
    const before = listeners()
    const agent = new Agent({ name: 'Notes', functions: [], model: scriptedModel([]) })
    const server = await agent.run({ port: 0 })
    expect(listeners()).toEqual(before.map((count) => count + 1))
    await server.close()
    expect(listeners()).toEqual(before)
    await agent.close()
  })

  it('serves two agents of one context', async () => {
    const sdkContext = new SDKContext()
    const [one, two] = ['One', 'Two'].map(
      (name) => new Agent({ name, functions: [], model: scriptedModel([name]), sdkContext }),
    ) as [Agent, Agent]
    const servers = [await one.run({ port: 0 }), await two.run({ port: 0 })] as const
    expect(await (await ask(servers[0].url, 'Who?')).text()).toBe('One')
    expect(await (await ask(servers[1].url, 'Who?')).text()).toBe('Two')
    for (const server of servers) await server.close()
    await sdkContext.close()
  })
})
