// A process that serves an agent whose runs are stored in a file, and prints its address.
// node durable-server.ts <sessions file> <effects file> <port> [<delayMs>]
// For "count N" the model calls the tool `note`, then answers with N words, one event each. The tool writes a line with its
// idempotency key to the effects file, before and after its work.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Message, type Model, tool } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { handleSignals } from '../handle-signals.ts'
import { serve } from '../serve.ts'

const [path = '', effects = '', port = '0', delay = '5'] = process.argv.slice(2)
const delayMs = Number(delay)

const note = tool({
  name: 'note',
  description: 'Notes something.',
  input: { type: 'object' },
  async execute(_input, { idempotencyKey, signal }) {
    appendFileSync(effects, `begin ${idempotencyKey}\n`)
    await sleep(delayMs, undefined, { signal })
    appendFileSync(effects, `end ${idempotencyKey}\n`)
    return 'noted'
  },
})

const model: Model = {
  id: 'test/counting',
  async *stream({ messages }, signal) {
    const count = Number(/count (\d+)/.exec(questionIn(messages))?.[1] ?? 3)
    const usage = { inputTokens: 10, outputTokens: 5 }
    await sleep(delayMs, undefined, { signal })
    if (messages.at(-1)?.role === 'user') {
      const callId = crypto.randomUUID()
      yield { type: 'tool-call', callId, name: 'note', input: {} }
      const part = { type: 'tool-call' as const, callId, name: 'note', input: {} }
      yield { type: 'finish', reason: 'tool-calls', usage, message: { role: 'assistant', content: [part] } }
      return
    }
    let text = ''
    for (let index = 1; index <= count; index++) {
      await sleep(delayMs, undefined, { signal })
      const word = `${index} `
      text += word
      yield { type: 'text-delta', text: word }
    }
    yield { type: 'finish', reason: 'stop', usage, message: { role: 'assistant', content: [{ type: 'text', text }] } }
  },
}

function questionIn(messages: readonly Message[]): string {
  const question = messages.findLast(({ role }) => role === 'user')
  return typeof question?.content === 'string' ? question.content : ''
}

const sessions = sqliteSessions(path)
const agent = new Agent({ name: 'Counter', functions: [note], model, sessions })
const server = await serve(agent, { port: Number(port), limits: { drainMs: 10_000, userRuns: 32 } })
handleSignals(server, {
  log: 'json',
  async afterClose() {
    await agent.close()
    await sessions.close()
  },
})
console.log(server.url)
