import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { Agent, type AgentOptions, type RunStore, type SessionStore, tool } from '../index.ts'
import { type MemoryDisk, memoryDisk } from './memory-runs.ts'

/** An agent whose processes share a disk and what its tools do. */
export type Clerk = {
  disk: MemoryDisk
  /** Calls of its tools, in the order in which they began: `look 5`. */
  done: string[]
  /** The agent in a new process, or in one that has this store. */
  open(store?: SessionStore): ClerkProcess
  modelCalls(): number
}

export type ClerkProcess = { agent: Agent; store: SessionStore & { runs: RunStore }; kill(): void }

export type ClerkOptions = Partial<AgentOptions> & {
  now?(): number
  /** What `look` does besides recording the call. */
  look?(amount: number, signal: AbortSignal): unknown
}

/**
 * @param turns what the model says at each step of a run, which the conversation decides, so that it may be continued in
 *   another process; or a function of the last question
 */
export function clerk(turns: readonly ScriptedTurn[] | ((question: string) => readonly ScriptedTurn[]), options: ClerkOptions = {}): Clerk {
  const { now, look = () => 'seen', ...more } = options
  const disk = memoryDisk({ ...(now && { now }) })
  const done: string[] = []
  let answered = 0
  const model: Agent['models'][number] = {
    id: 'test/clerk',
    stream: (request, signal) => {
      answered++
      const { messages } = request
      const from = messages.findLastIndex(({ role }) => role === 'user')
      const question = messages[from]?.content
      const script = typeof turns === 'function' ? turns(typeof question === 'string' ? question : '') : turns
      const step = messages.slice(from).filter(({ role }) => role === 'assistant').length
      return scriptedModel([script[step] ?? 'Nothing.']).stream(request, signal)
    },
  }
  const input = { type: 'object', properties: { amount: { type: 'number' } } }
  const functions = (['look', 'count', 'pay'] as const).map((name) =>
    tool({
      ...{ name, description: name, input, idempotent: name === 'look', needsApproval: name === 'pay' },
      async execute({ amount }, { signal }) {
        done.push(`${name} ${amount}`)
        return name === 'look' ? look(Number(amount), signal) : 'ok'
      },
    }),
  )
  return {
    ...{ disk, done },
    modelCalls: () => answered,
    open(given) {
      const process = given ? { store: given, kill() {} } : disk.open()
      const agent = new Agent({ name: 'Clerk', functions, model, sessions: process.store, ...more })
      // Stores of the disk have runs.
      return { ...process, agent } as ClerkProcess
    },
  }
}
