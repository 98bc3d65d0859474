import { rm } from 'node:fs/promises'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type AgentOptions, type Model } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'
import { type AgentServer, serve, type ServerOptions } from '@agentkit/server'
import { sqliteSessions } from '@agentkit/sessions'
import { type FakeProvider, type FakeScript, fakeProvider } from '@agentkit/testing'
import { afterEach, expect } from 'vitest'

type Settings = {
  agent?: Partial<AgentOptions>
  server?: ServerOptions
  /** How long the model may be silent, in milliseconds. */
  timeouts?: { firstByteTimeoutMs?: number; idleTimeoutMs?: number }
}

export type ServedAgent = {
  url: string
  /** The sessions file. */
  path: string
  provider: FakeProvider
  /** Sends a question. */
  ask(content?: string, options?: AskOptions): Promise<Response>
  history(): Promise<{ role: string; message: string }[]>
}

type AskOptions = { sessionId?: string; accept?: string; signal?: AbortSignal; fields?: object }

/** A model of a server that speaks as OpenAI's does. */
export function modelAt(url: string, timeouts: Settings['timeouts'] = {}): Model {
  return openai({ baseURL: url, apiKey: 'test', api: 'chat' }).model('gpt-test', timeouts)
}

/** Agents that are served over HTTP, with conversations in SQLite and a model behind a fake provider. */
export function servedAgents(): (script: FakeScript, settings?: Settings) => Promise<ServedAgent> {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  return async (script, { agent: options = {}, server: serverOptions = {}, timeouts } = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'agentkit-faults-'))
    closers.push(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'sessions.db')
    const provider = await fakeProvider('openai-chat', script)
    closers.push(() => provider.close())
    const sessions = sqliteSessions(path)
    closers.push(() => sessions.close())
    const agent = new Agent({
      ...{ name: 'Test', functions: [], model: modelAt(provider.url, timeouts), sessions },
      ...{ retry: { firstWaitMs: 1 }, ...options },
    })
    const { url, close }: AgentServer = await serve(agent, { port: 0, log: () => {}, ...serverOptions })
    closers.push(close)
    return {
      ...{ url, path, provider },
      ask(content = 'Hi', { sessionId = 'first', accept = 'application/json', signal, fields } = {}) {
        const messages = [{ role: 'user', content }]
        return fetch(`${url}/api/v1/chat`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept },
          body: JSON.stringify({ user_id: 'ada', session_id: sessionId, messages, ...fields }),
          ...(signal && { signal }),
        })
      },
      history: async () => (await fetch(`${url}/api/v1/chat_history?user_id=ada&session_id=first`)).json(),
    }
  }
}

export type SentEvent = { type: string; seq: number; [field: string]: unknown }

export function eventsIn(body: string): SentEvent[] {
  return [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}

/** Checks a problem, and that the server answers the next chat. */
export async function expectFailure({ ask }: ServedAgent, response: Response, status: number, code: string) {
  const body = await response.json()
  expect(body).toMatchObject({ status, code })
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/problem+json'])
  const next = await ask('And now?', { sessionId: 'next' })
  expect([next.status, (await next.json()).answer]).toEqual([200, 'Fine.'])
}
