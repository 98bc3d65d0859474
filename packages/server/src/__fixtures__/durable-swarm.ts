// A process that serves a swarm whose runs are stored in a file, and prints its address.
// node durable-swarm.ts <sessions file> <effects file> <port> <delayMs> <collaboration> [idempotent]
// The member calls its tool `note` once, then answers. The tool writes a line with its idempotency key to
// the effects file, before and after its work.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Collaboration, type Model, Swarm, tool } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { handleSignals } from '../handle-signals.ts'
import { serve } from '../serve.ts'

const [path = '', effects = '', port = '0', delay = '5', collaboration = 'manager', idempotent] = process.argv.slice(2)

const note = tool({
  name: 'note',
  description: 'Notes something.',
  input: { type: 'object' },
  idempotent: idempotent !== undefined,
  async execute(_input, { idempotencyKey, signal }) {
    appendFileSync(effects, `begin ${idempotencyKey}\n`)
    await sleep(Number(delay), undefined, { signal })
    appendFileSync(effects, `end ${idempotencyKey}\n`)
    return 'noted'
  },
})

/** Calls `note` or the first member once, then answers. */
const model: Model = {
  id: 'test/once',
  async *stream({ messages, tools = [] }) {
    const { name } = tools.find((tool) => tool.name === 'note') ?? tools[0] ?? {}
    const usage = { inputTokens: 10, outputTokens: 5 }
    if (name !== undefined && !messages.some((message) => message.role === 'tool' && message.name === name)) {
      const call = { type: 'tool-call' as const, callId: crypto.randomUUID(), name, input: { task: 'Note it.' } }
      yield call
      yield { type: 'finish', reason: 'tool-calls', usage, message: { role: 'assistant', content: [call] } }
      return
    }
    const text = 'All is noted.'
    yield { type: 'text-delta', text }
    yield { type: 'finish', reason: 'stop', usage, message: { role: 'assistant', content: [{ type: 'text', text }] } }
  },
}

const sessions = sqliteSessions(path)
const swarm = new Swarm({
  name: 'Team',
  agents: [new Agent({ name: 'Ann', description: 'Notes things.', functions: [note], model })],
  model,
  // The test passes one of the names.
  collaboration: collaboration as Collaboration,
  sessions,
})
const server = await serve(swarm, { port: Number(port) })
handleSignals(server, {
  log: 'json',
  async afterClose() {
    await swarm.close()
    await sessions.close()
  },
})
console.log(server.url)
