import { scriptedModel } from '@agentkit/testing'
import { Agent, type JSONValue, type RunResult, type ToolLike, type ToolSpec } from '../index.ts'

export type Call = { name: string; input?: JSONValue }

/** A run whose model makes these calls: what it was offered, and the results that it received. */
export async function runWithTools(
  functions: ToolLike[],
  ...calls: Call[]
): Promise<{ result: RunResult; tools: ToolSpec[]; results: unknown[] }> {
  const model = scriptedModel([{ toolCalls: calls }, 'Done.'])
  const agent = new Agent({ name: 'Test', functions, model, toolTimeoutMs: 500 })
  const result: RunResult = await agent.stream('Go', { userId: 'ada', sessionId: 'one' }).result
  return { result, tools: model.requests[0]?.tools ?? [], results: resultsOf(result) }
}

/** The results of a run's calls; `{ error }` for those that failed. */
export function resultsOf({ messages }: RunResult): unknown[] {
  return messages.flatMap((message) =>
    message.role === 'tool' ? [message.isError ? { error: message.content } : message.content] : [],
  )
}

/** Creates an agent with a function of any kind. */
export function agentWith(item: unknown): Agent {
  return new Agent({ name: 'Test', functions: [item as ToolLike], model: scriptedModel(['a']) })
}
