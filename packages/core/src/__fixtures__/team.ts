import type { AgentEvent, AgentRun, Message, Model, ModelEvent, ModelRequest, RunResult, Tool } from '../index.ts'
import { Agent, type AgentOptions, tool } from '../index.ts'

/** A model's answer: words, or calls, each `[tool, input]`. */
export type ScriptedAnswer = string | [name: string, input?: object][]

export type ThinkingModel = Model & { requests: ModelRequest[] }

/** A model whose answers a function returns for each request. Its calls have unique ids, also among models. */
export function thinking(
  think: (request: ModelRequest, signal: AbortSignal) => ScriptedAnswer | Promise<ScriptedAnswer>,
  id = 'test/thinking',
): ThinkingModel {
  const requests: ModelRequest[] = []
  return {
    id,
    requests,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      requests.push(structuredClone(request))
      const answer = await think(request, signal)
      const usage = { inputTokens: 10, outputTokens: 5 }
      if (typeof answer === 'string') {
        if (answer !== '') yield { type: 'text-delta', text: answer }
        const content = answer === '' ? [] : [{ type: 'text' as const, text: answer }]
        yield { type: 'finish', reason: 'stop', usage, message: { v: 1, role: 'assistant', content } }
        return
      }
      const calls = answer.map(([name, input = {}]) => ({
        ...{ type: 'tool-call' as const, callId: `call_${crypto.randomUUID()}`, name, input: input as never },
      }))
      for (const call of calls) yield call
      yield { type: 'finish', reason: 'tool-calls', usage, message: { v: 1, role: 'assistant', content: calls } }
    },
  }
}

/** A model with a list of answers; the last one repeats. */
export function saying(...turns: ScriptedAnswer[]): ThinkingModel {
  let at = 0
  return thinking(() => turns[Math.min(at++, turns.length - 1)] ?? '')
}

/** A model that makes calls, and answers when it has their results, also in another process than the one that called. */
export function callingThen(calls: ScriptedAnswer, answer: string): ThinkingModel {
  return thinking(({ messages }) => (messages.at(-1)?.role === 'tool' ? answer : calls))
}

/** A member with fixed answers. */
export function member(
  name: string,
  model: Model = saying(`${name} has answered.`),
  options: Partial<AgentOptions> = {},
): Agent {
  return new Agent({ name, description: `Knows all of ${name}.`, functions: [], model, ...options })
}

/** A tool that needs approval, and a list of its executions. */
export function paying(done: string[]): Tool {
  return tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object', properties: { amount: { type: 'number' } } },
    needsApproval: true,
    execute({ amount }) {
      done.push(`paid ${amount}`)
      return `Paid ${amount}.`
    },
  })
}

export async function eventsOf(run: AgentRun<unknown>): Promise<{ events: AgentEvent[]; result: RunResult }> {
  const events = await Array.fromAsync(run)
  return { events, result: await run.result }
}

/** Each event in one line: path, type, and subject. */
export function linesOf(events: readonly AgentEvent[]): string[] {
  return events.map((event) => {
    const where = event.path.join('/')
    switch (event.type) {
      case 'tool-call':
      case 'tool-result':
        return `${where} ${event.type} ${event.name}`
      case 'agent-end':
        return `${where} ${event.type} ${event.status}`
      case 'handoff':
        return `${where} ${event.type} ${event.to}`
      case 'run-end':
        return `${where} ${event.type} ${event.finishReason}`
      case 'text-delta':
        return `${where} ${event.type} ${event.text}`
      default:
        return `${where} ${event.type}`
    }
  })
}

/** The text of the last message of a request. */
export function lastWords({ messages }: { messages: readonly Message[] }): string {
  return wordsOf(messages.at(-1))
}

export function wordsOf(message: Message | undefined): string {
  if (message === undefined) return ''
  const { content } = message
  if (typeof content === 'string') return content
  return content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('|')
}
