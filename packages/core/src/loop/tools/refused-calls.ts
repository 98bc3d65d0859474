import type { ModelRequest, ToolCall } from '../../contracts/model.ts'
import { toolCalls } from '../../data/transcript.ts'
import { limits } from '../../limits.ts'
import type { Reply } from '../../runs/reply.ts'
import type { Run } from '../run/types.ts'

/** The calls of a reply that are not executed, and that no budget counts, by their ids, with what the model reads. */
export function refusedCalls({ finalTool }: Run, reply: Reply): Map<string, string> {
  const hidden = new Map(reply.hidden)
  // A hook `afterModel` may have made another call of it.
  const unavailable = reply.calls.filter(({ callId, name }) => hidden.get(callId) === name)
  const answers = reply.calls.filter(({ name }) => name === finalTool)
  const all = toolCalls(reply.message)
  const most = limits.toolCallsPerStep
  const tooMany = `The call was not run: of one answer at most ${most} calls are, and this one had ${all.length}. Make the others in further answers, with fewer at once.`
  const notAlone = `The answer was not accepted: it came beside other calls. Read their results, then call ${finalTool} alone.`
  return new Map([
    ...unavailable.map(({ callId, name }) => [callId, `The tool "${name}" is not available in this step.`] as const),
    ...all.slice(most).map(({ callId }) => [callId, tooMany] as const),
    ...answers.map(({ callId }) => [callId, notAlone] as const),
  ])
}

/** The calls of tools that the hook `beforeModel` has taken out of the request: their ids and names. */
export function hiddenCalls(
  { agent, toolBox }: Run,
  { tools = [] }: ModelRequest,
  calls: readonly ToolCall[],
): Reply['hidden'] {
  if (!agent.hooks.beforeModel) return undefined
  const hidden = calls.filter(({ name }) => toolBox.byName.has(name) && !tools.some((tool) => tool.name === name))
  return hidden.length > 0 ? hidden.map(({ callId, name }): [string, string] => [callId, name]) : undefined
}
