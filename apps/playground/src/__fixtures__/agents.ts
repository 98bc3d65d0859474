import { Agent, type AgentOptions, Swarm, type Tool, tool } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'

export const prices = { 'test/scripted': { inputUsdPerMillion: 100, outputUsdPerMillion: 400 } }

export const lookUp: Tool = tool({
  name: 'look_up',
  description: 'Looks up an invoice.',
  input: { type: 'object' },
  execute: () => ({ invoice: 17, amount: 250 }),
})

export const pay: Tool = tool({
  name: 'pay_invoice',
  description: 'Pays an invoice.',
  input: { type: 'object' },
  needsApproval: true,
  execute: () => 'paid',
})

/** An agent that answers from a script, and whose runs are stored. */
export function keeper(turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}): Agent {
  return new Agent({
    name: 'Book Keeper',
    description: 'Looks up and pays invoices.',
    functions: [lookUp, pay],
    samplePrompts: ['What is invoice 17?', 'Pay invoice 17.'],
    prices,
    retry: { attempts: 1 },
    model: scriptedModel(turns),
    sessions: sqliteSessions(':memory:'),
    ...options,
  })
}

/** A manager with two members. */
export function team(turns: readonly ScriptedTurn[], members: { readonly [name: string]: readonly ScriptedTurn[] }): Swarm {
  const agents = Object.entries(members).map(
    ([name, own]) => new Agent({ name, description: `Is ${name}.`, functions: [lookUp], model: scriptedModel(own), retry: { attempts: 1 }, prices }),
  )
  return new Swarm({ name: 'Team', agents, model: scriptedModel(turns), sessions: sqliteSessions(':memory:'), prices })
}

/** A turn of a model that waits until the test releases it. */
export function held(turn: ScriptedTurn): { turn: ScriptedTurn; release(): void; asked: Promise<void> } {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  return {
    turn: async (_request, signal) => {
      asked.resolve()
      await Promise.race([gate.promise, new Promise((go) => signal.addEventListener('abort', go))])
      return turn
    },
    release: () => gate.resolve(),
    asked: asked.promise,
  }
}
