import type { Model, ModelRequest } from '../contracts/model.ts'
import { isAgentKitError } from '../data/errors.ts'
import { reportedUsage, type Usage } from '../data/usage.ts'
import type { Reply } from '../runs/reply.ts'
import { estimateRequest, estimateText } from '../tokens/estimate-tokens.ts'

type EndedCall = { reply: Reply; request: ModelRequest; model: Model; signal: AbortSignal }

/**
 * What a model call has used: what the provider reported, and marked estimates of the rest. A call that was refused
 * before its answer began has used nothing.
 * @param failure the error of a call that failed
 */
export function usageOf({ reply, request, model, signal }: EndedCall, failure?: unknown): Usage {
  const error = isAgentKitError(failure) ? failure : undefined
  const reported = reportedUsage(error?.usage ?? reply.usage)
  const hasWorked = failure === undefined || reply.hasBegun || signal.aborted || error?.code === 'timeout'
  if (!hasWorked && Object.keys(reported).length === 0) return reported
  const inputTokens = reported.inputTokens ?? estimateRequest(request, model.info)
  const outputTokens = reported.outputTokens ?? estimateReply(reply)
  const totalTokens = reported.totalTokens ?? inputTokens + outputTokens
  const isEstimated = reported.inputTokens === undefined || reported.outputTokens === undefined
  return { ...reported, inputTokens, outputTokens, totalTokens, ...(isEstimated ? { estimated: true } : {}) }
}

function estimateReply({ text, reasoning, calls }: Reply): number {
  let tokens = estimateText(text) + estimateText(reasoning)
  for (const { name, input, inputText } of calls)
    tokens += estimateText(`${name} ${inputText ?? JSON.stringify(input)}`)
  return tokens
}
