import { type ScriptedModel, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { expect } from 'vitest'
import {
  Agent,
  type AgentEvent,
  type AgentOptions,
  type AgentRun,
  memorySessions,
  type RunResult,
  type SessionStore,
  type Tool,
  tool,
  validateTranscript,
} from '../index.ts'
import { opaqueId } from '../runs/decisions/approval-id.ts'

/** An agent that can look things up freely, and pay with approval. */
export type Payer = {
  agent: Agent<unknown>
  /** The preferred model. */
  model: ScriptedModel
  models: readonly ScriptedModel[]
  store: SessionStore
  /** The executed calls of its tools, in the order in which they began: `pay 5`. */
  done: string[]
}

export type PayerOptions = Partial<Omit<AgentOptions<unknown>, 'model' | 'sessions'>> & {
  /** A model that replaces the scripted one. */
  models?: readonly [ScriptedModel, ...ScriptedModel[]]
  /** The store of another payer, as another process would open it. */
  store?: SessionStore
  needsApproval?: NonNullable<Tool['needsApproval']>
  /** What `pay` does besides recording the call. */
  pay?(amount: number, signal: AbortSignal): unknown
  done?: string[]
}

export const session = { userId: 'ann', sessionId: 's' }
export const sessionKey = { agentId: 'payer', ...session }

export function payer(turns: readonly ScriptedTurn[], options: PayerOptions = {}): Payer {
  const { store = memorySessions(), needsApproval = true, pay = () => 'paid', done = [], models, ...rest } = options
  const input = { type: 'object', properties: { amount: { type: 'number' } } }
  const functions = [
    tool({
      name: 'pay',
      description: 'Pays.',
      input,
      needsApproval,
      execute({ amount }, { signal }) {
        done.push(`pay ${amount}`)
        return pay(amount as number, signal)
      },
    }),
    tool({
      name: 'look',
      description: 'Looks.',
      input,
      execute({ amount }) {
        done.push(`look ${amount}`)
        return 'seen'
      },
    }),
  ]
  const chain = models ?? [scriptedModel(turns)]
  const agent = new Agent<unknown>({ name: 'Payer', functions, model: chain, sessions: store, ...rest })
  return { agent, model: chain[0], models: chain, store, done }
}

/** A turn with such calls: `pay 5`, whose id is `pay5`. */
export function calls(...texts: string[]): { toolCalls: { name: string; callId: string; input: { amount: number } }[] } {
  const toolCalls = texts.map((text) => {
    const [name = '', amount = ''] = text.split(' ')
    return { name, callId: `${name}${amount}`, input: { amount: Number(amount) } }
  })
  return { toolCalls }
}

export type Request = Extract<AgentEvent, { type: 'approval-request' }>

/** The id of the approval that a step requests for a call: `1-pay5`. */
export const idOf = opaqueId

/** Iterates a run, and decides on each approval as it is requested. */
export async function follow(
  run: AgentRun<unknown>,
  decide: (request: Request, run: AgentRun<unknown>) => unknown = ({ approvalId }) => run.approve(approvalId),
): Promise<{ events: AgentEvent[]; result: RunResult }> {
  const events: AgentEvent[] = []
  for await (const event of run) {
    events.push(event)
    if (event.type === 'approval-request') await decide(event, run)
  }
  return { events, result: await run.result }
}

/** Events in short form. */
export function eventLines(events: readonly AgentEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case 'tool-call':
      case 'tool-result':
      case 'approval-request':
        return `${event.type} ${event.callId}`
      case 'step-start':
      case 'step-end':
        return `${event.type} ${event.step}`
      case 'run-end':
        return `${event.type} ${event.finishReason}`
      default:
        return event.type
    }
  })
}

/** The visible session in short form. Checks that it is valid. */
export async function shown({ store, models }: Payer): Promise<string[]> {
  const messages = (await store.load(sessionKey))?.messages ?? []
  const requests = models.flatMap((model) => model.requests)
  for (const request of [{ messages }, ...requests]) expect(validateTranscript(request.messages)).toEqual([])
  return wordsOf(messages)
}

export function wordsOf(messages: RunResult['messages']): string[] {
  return messages.flatMap((message) => {
    if (typeof message.content === 'string') return [`${message.role}: ${message.content}`]
    return message.content.map((part) => {
      const what = part.type === 'text' ? part.text : part.type === 'tool-call' ? part.callId : part.type
      return `${message.role}: ${what}`
    })
  })
}
