import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type AgentOptions, type SessionStore, type Tool, tool } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { afterEach } from 'vitest'
import { chatData, chatRequest, validFields } from './requests.ts'

const input = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }

/** The call of the tool `pay`, which needs approval. */
export const payTurn: ScriptedTurn = { toolCalls: [{ name: 'pay', input: { amount: 5 } }] }

/** A tool that the client executes. */
export const locate = tool({
  ...{ name: 'locate', description: 'Where the user is.', input: { type: 'object' }, client: true },
  output: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
})
export const locateTurn: ScriptedTurn = { toolCalls: [{ name: 'locate' }] }

/** A tool `wait` whose call ends when the test releases it. */
export function heldTool(): { wait: Tool; begun: Promise<void>; release(): void } {
  const held = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<void>()
  const wait = tool({
    ...{ name: 'wait', description: 'Waits.', input: { type: 'object' } },
    execute() {
      begun.resolve()
      return held.promise
    },
  })
  return { wait, begun: begun.promise, release: () => held.resolve('done') }
}

export type StoredAgent = { agent: Agent; model: ScriptedModel; paid: number[]; path: string; sessions: SessionStore }

/** Agents whose runs are stored in SQLite files, which are removed after each test. */
export function storedAgents(): (turns: readonly ScriptedTurn[], options?: Partial<AgentOptions> & { path?: string }) => StoredAgent {
  const cleanups: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean()
  })
  return (turns, { path: given, ...options } = {}) => {
    const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'agentkit-server-')) : undefined
    if (folder) cleanups.push(() => rm(folder, { recursive: true, force: true }))
    const path = given ?? join(folder ?? '', 'sessions.db')
    const sessions = sqliteSessions(path)
    cleanups.push(() => sessions.close())
    const paid: number[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays an amount.',
      input,
      needsApproval: true,
      execute: (value) => {
        const { amount } = value as { amount: number } // validated by `input`
        paid.push(amount)
        return `paid ${amount}`
      },
    })
    const model = scriptedModel(turns)
    const agent = new Agent({ name: 'Test', functions: [pay], model, sessions, ...options })
    return { agent, model, paid, path, sessions }
  }
}

/** A question as a chat request. */
export function ask(content: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): RequestInit {
  return chatRequest({ ...validFields, chat_data: chatData({ role: 'user', content }), ...fields }, headers)
}

export type SentEvent = { id: number; type: string; data: Record<string, unknown> }

/** The events of a stream. */
export function eventsIn(body: string): SentEvent[] {
  return [...body.matchAll(/^event: (.*)\nid: (.*)\ndata: (.*)$/gm)].map(([, type = '', id, data = '']) => ({
    id: Number(id),
    type,
    data: JSON.parse(data),
  }))
}
