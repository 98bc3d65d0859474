import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Model, type ModelEvent, tool } from '@agentkit/core'
import { handleSignals, serve } from '@agentkit/server'
import { sqliteSessions } from '@agentkit/sessions'
import { uploadFolder } from './upload-folder.ts'

/**
 * A server for the figures of `server-figures.ts`: sessions in a SQLite file, files in a folder, and a model that does what
 * the question says: `instant`, `events <number> <ms>`, `flood`, `wait`, or `tool`. It notes the ids of questions that have one.
 */
const [folder = '', canary = ''] = process.argv.slice(2)

/** Milliseconds since 1970 with fractions: the processes of a machine share them. */
const now = (): number => performance.timeOrigin + performance.now()

/** When the models of runs whose client has left noticed it. */
let abortedAt: number[] = []

const model: Model = {
  id: 'bench/figures',
  async *stream({ messages }, signal) {
    const content = messages.findLast((message) => message.role === 'user')?.content ?? ''
    const text = typeof content === 'string' ? content : (content.find((part) => part.type === 'text')?.text ?? '')
    const [kind, number = '0', ms = '0', id] = text.split(' ')
    if (id) appendFileSync(join(folder, 'started'), `${id}\n`)
    signal.addEventListener('abort', () => abortedAt.push(now()))
    if (kind === 'wait') {
      yield { type: 'text-delta', text: 'Waiting.' }
      await sleep(60_000, undefined, { signal })
    }
    if (kind === 'events') {
      for (let index = 0; index < Number(number); index++) {
        yield { type: 'text-delta', text: ` at=${now()} ` }
        await sleep(Number(ms), undefined, { signal })
      }
    }
    if (kind === 'flood') for (;;) yield { type: 'text-delta', text: 'x' }
    if (kind === 'tool' && messages.at(-1)?.role === 'user')
      return yield* finish({ callId: 'c1', name: 'fail', input: {} })
    yield { type: 'text-delta', text: 'Hello.' }
    yield* finish()
  },
}

type Call = { callId: string; name: string; input: Record<string, never> }

async function* finish(call?: Call): AsyncGenerator<ModelEvent> {
  if (call) yield { type: 'tool-call', ...call }
  const content = call ? [{ type: 'tool-call' as const, ...call }] : [{ type: 'text' as const, text: 'Hello.' }]
  yield {
    type: 'finish',
    reason: call ? 'tool-calls' : 'stop',
    usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
    message: { v: 1, role: 'assistant', content },
  }
}

const fail = tool({
  name: 'fail',
  description: 'Fails.',
  input: { type: 'object', properties: {} },
  execute: () => {
    throw new Error(`cannot read /etc/secret: ${canary}`)
  },
})

const agent = new Agent({
  name: 'Figures',
  instruction: `The secret is ${canary}.`,
  functions: [fail],
  model,
  knowledge: uploadFolder(join(folder, 'files')),
  sessions: sqliteSessions(join(folder, 'sessions.db')),
})
const server = await serve(agent, { port: 0, log: () => {}, limits: { runs: 1100, stalledMs: 60_000 } })
handleSignals(server, { afterClose: () => agent.close() })
process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send?.({ heapMb: heapUsed / 2 ** 20, rssMb: rss / 2 ** 20, abortedAt })
  abortedAt = []
})
process.send?.({ port: Number(new URL(server.url).port) })
