// Runs agents whose tools write what they do to a file, until it is killed.
// node resumable-runs.ts <path> <file> start    starts six runs, the last one not resumable; prints "<runId>" of each once
//                                               it is stored, then recovers
// node resumable-runs.ts <path> <file> recover  continues the runs whose process died; prints "ready"
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Model, tool } from '@agentkit/core'
import { recoverRuns } from '@agentkit/core/internal'
import { scriptedModel } from '@agentkit/testing'
import { sqliteSessions } from '@agentkit/sessions'

const [path = '', file = '', what] = process.argv.slice(2)
const sessions = sqliteSessions(path, { heartbeatMs: 200, staleAfterMs: 1_000 })
const input = { type: 'object', properties: { step: { type: 'number' } } }
const functions = (['read', 'write'] as const).map((name) =>
  tool({
    ...{ name, description: name, input, idempotent: name === 'read' },
    async execute({ step }, { runId }) {
      await sleep(Math.random() * 10)
      appendFileSync(file, `${runId} ${name} ${step}\n`)
      await sleep(Math.random() * 10)
      return 'done'
    },
  }),
)
/** Five steps with a call of each tool, then an answer: the step follows from the conversation. */
const model: Model = {
  id: 'test/steps',
  async *stream(request, signal) {
    const step = request.messages.filter(({ role }) => role === 'assistant').length
    await sleep(Math.random() * 20, undefined, { signal })
    const args = { step }
    const toolCalls = [
      { name: 'read', callId: `read${step}`, input: args },
      { name: 'write', callId: `write${step}`, input: args },
    ]
    yield* scriptedModel([step < 5 ? { toolCalls } : 'All is done.']).stream(request, signal)
  },
}
const agent = new Agent({ name: 'Worker', functions, model, sessions })

if (what === 'start') {
  for (let number = 0; number < 6; number++) {
    const run = agent.stream('Work.', { userId: 'ann', sessionId: `s${number}`, resumable: number < 5 })
    void (async () => {
      for await (const event of run) if (event.type === 'step-start' && event.step === 1) console.log(event.runId)
    })()
  }
}
recoverRuns([agent], { signal: new AbortController().signal })
if (what !== 'start') console.log('ready')
