import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Agent, type Model } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { afterAll, describe, expect, it } from 'vitest'
import { createApp } from '../create-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'agentkit-ended-runs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

setFlagsFromString('--expose-gc')
const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc')

const hello: Model = {
  id: 'test/hello',
  async *stream() {
    await new Promise(setImmediate)
    yield { type: 'text-delta', text: 'Hello.' }
    yield {
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
      message: { v: 1, role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
    }
  },
}

/** Measured: 4,750, and 6,900 or more where one Map or Set leads to runs that have left it. */
const mostBytesPerRun = 5_800

describe('runs that have ended', () => {
  it('are collected without a full collection', async () => {
    const sessions = sqliteSessions(join(folder, 'sessions.db'))
    const app = createApp(new Agent({ name: 'Clerk', functions: [], model: hello, sessions }), { log: () => {} })
    let asked = 0
    const ask = async (): Promise<void> => {
      const message = { session_id: `s${asked++}`, user_id: 'ann', messages: [{ role: 'user', content: 'Hi' }] }
      const headers = { 'content-type': 'application/json', accept: 'text/plain' }
      const response = await app.request('/api/v1/chat', { method: 'POST', headers, body: JSON.stringify(message) })
      if ((await response.text()) !== 'Hello.') throw new Error(`A chat was answered with ${response.status}.`)
      if (asked % 100 === 0) collect({ type: 'minor' })
    }
    const askTogether = async (runs: number): Promise<void> => {
      const last = asked + runs
      const client = async (): Promise<void> => {
        while (asked < last) await ask()
      }
      await Promise.all(Array.from({ length: 12 }, client))
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      collect({ type: 'minor' })
      collect({ type: 'minor' })
    }
    await askTogether(600)
    collect()
    const before = process.memoryUsage().heapUsed
    await askTogether(1_200)
    expect((process.memoryUsage().heapUsed - before) / 1_200).toBeLessThan(mostBytesPerRun)
    await sessions.close()
  })
})
