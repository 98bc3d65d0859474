import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Model, tool } from '@agentkit/core'
import { serve } from '@agentkit/server'
import { sqliteSessions } from '@agentkit/sessions'
import { uploadFolder } from './upload-folder.ts'

/** A server for the soak: an agent with one tool, files, and sessions in SQLite, and a model that answers by itself. */
const [folder = ''] = process.argv.slice(2)

const model: Model = {
  id: 'bench/soak',
  async *stream({ messages }) {
    const calls = messages.at(-1)?.role !== 'tool'
    await sleep(2)
    const callId = `call_${crypto.randomUUID()}`
    const words = calls ? [] : Array.from({ length: 40 }, (_, index) => `word${index} `)
    for (const text of words) yield { type: 'text-delta', text }
    if (calls) yield { type: 'tool-call', callId, name: 'add', input: { a: 2, b: 3 } }
    yield {
      type: 'finish',
      reason: calls ? 'tool-calls' : 'stop',
      usage: { inputTokens: 50, outputTokens: 40, totalTokens: 90 },
      message: {
        v: 1,
        role: 'assistant',
        content: calls
          ? [{ type: 'tool-call', callId, name: 'add', input: { a: 2, b: 3 } }]
          : [{ type: 'text', text: words.join('') }],
      },
    }
  },
}

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  execute: (input: unknown) => {
    const { a, b } = input as { a: number; b: number } // validated by the schema above
    return a + b
  },
})

let rejections = 0
process.on('unhandledRejection', () => rejections++)
const agent = new Agent({
  name: 'Soak',
  functions: [add],
  model,
  knowledge: uploadFolder(join(folder, 'files')),
  sessions: sqliteSessions(join(folder, 'sessions.db')),
})
const server = await serve(agent, { port: 0, log: () => {} })
const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
process.send?.({ port: Number(new URL(server.url).port) })
process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const mb = (bytes: number): number => bytes / 1024 / 1024
  const ms = (ns: number): number => ns / 1e6
  process.send?.({
    heapMb: mb(heapUsed),
    rssMb: mb(rss),
    delayP99Ms: ms(delay.percentile(99)),
    delayMaxMs: ms(delay.max),
    rejections,
  })
  delay.reset()
})
