import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Model, type SessionStore, tool, type Worker } from '@agentkit/core'
import { postgresQueue } from '@agentkit/queue-postgres'
import { postgresSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'

/** Milliseconds since 1970 with fractions: the processes of a machine share them. */
export const machineTime = (): number => performance.timeOrigin + performance.now()

/**
 * An agent whose model does what the question says: `steps <number>` calls a tool in all steps but the last, `wait <ms>`
 * answers after that time, `events <number> <ms>` streams with the time of each delta, `pay` calls a tool that needs
 * approval, `now` answers with the time of its call.
 */
export function queueAgent(sessions: SessionStore): Agent {
  const input = { type: 'object' }
  const act = tool({ name: 'act', description: 'Acts.', input, execute: ({ step }) => `Step ${step} is done.` })
  const pay = tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => 'paid' })
  const model: Model = {
    id: 'bench/queue',
    async *stream(request, signal) {
      const from = request.messages.findLastIndex(({ role }) => role === 'user')
      const [kind = '', first = '0', second = '0'] = String(request.messages[from]?.content).split(' ')
      const step = request.messages.slice(from).filter(({ role }) => role === 'assistant').length
      if (kind === 'wait') await sleep(Number(first), undefined, { signal })
      if (kind === 'events') {
        for (let index = 0; index < Number(first); index++) {
          yield { type: 'text-delta', text: `${machineTime()} ` }
          await sleep(Number(second), undefined, { signal })
        }
      }
      const name =
        kind === 'pay' && step === 0 ? 'pay' : kind === 'steps' && step < Number(first) - 1 ? 'act' : undefined
      const text = kind === 'now' ? String(machineTime()) : 'Done.'
      // The guard stops a run that repeats a call.
      const call = { name: name ?? '', callId: `${name}${step}`, input: { step } }
      yield* scriptedModel([name ? { toolCalls: [call] } : text]).stream(request, signal)
    },
  }
  return new Agent({ name: 'Bench', functions: [act, pay], model, sessions, maxSteps: 100 })
}

export function queueStore(url: string): SessionStore {
  return postgresSessions(url, { queue: postgresQueue(url) })
}

export type QueueJob =
  | { kind: 'work'; concurrency: number }
  | { kind: 'stop' }
  | { kind: 'measure' }
  | { kind: 'direct'; runs: number; question: string; atOnce: number }

export type QueueMeasured = { cpuMs: number; rssMb: number }

if (process.send) {
  const agent = queueAgent(queueStore(process.argv[2] ?? ''))
  let worker: Worker | undefined
  process.on('message', async (job: QueueJob) => {
    if (job.kind === 'work') worker = await agent.work({ concurrency: job.concurrency })
    if (job.kind === 'stop') await worker?.close()
    if (job.kind === 'direct') {
      let left = job.runs
      const client = async (): Promise<void> => {
        while (left-- > 0) {
          const { error } = await agent.stream(job.question, { resumable: true, sessionId: `d${crypto.randomUUID()}` })
            .result
          if (error) throw error
        }
      }
      await Promise.all(Array.from({ length: job.atOnce }, client))
    }
    global.gc?.()
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 } satisfies QueueMeasured)
  })
  process.send('ready')
}
