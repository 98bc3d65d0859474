import type { Model, ModelRequest } from '../contracts/model.ts'
import { isAgentKitError } from '../data/errors.ts'
import { toldUsage, type Usage } from '../data/usage.ts'
import type { Reply } from '../runs/reply.ts'
import { estimateRequest, estimateText } from '../tokens/estimate-tokens.ts'

/** What a model call has used: what was told, with estimates where it was not, marked so. */
export function usageOfReply(reply: Reply, request: ModelRequest, model: Model): Usage {
  return withEstimate(toldUsage(reply.usage), reply, request, model)
}

/** What a failed call has used, likewise. One that was refused before a word came has used nothing. */
export function usageOfFailure(
  error: unknown,
  reply: Reply,
  request: ModelRequest,
  model: Model,
  signal: AbortSignal,
): Usage {
  const told = toldUsage(isAgentKitError(error) && error.usage ? error.usage : reply.usage)
  const wasAtWork = reply.heard || signal.aborted || (isAgentKitError(error) && error.code === 'timeout')
  return wasAtWork || Object.keys(told).length > 0 ? withEstimate(told, reply, request, model) : told
}

function withEstimate(told: Usage, reply: Reply, request: ModelRequest, { info }: Model): Usage {
  const inputTokens = told.inputTokens ?? estimateRequest(request, info)
  const outputTokens = told.outputTokens ?? estimateReply(reply)
  const usage = { ...told, inputTokens, outputTokens, totalTokens: told.totalTokens ?? inputTokens + outputTokens }
  return told.inputTokens === undefined || told.outputTokens === undefined ? { ...usage, estimated: true } : usage
}

function estimateReply({ text, reasoning, calls }: Reply): number {
  let tokens = estimateText(text) + estimateText(reasoning)
  for (const { name, input, inputText } of calls)
    tokens += estimateText(`${name} ${inputText ?? JSON.stringify(input)}`)
  return tokens
}
