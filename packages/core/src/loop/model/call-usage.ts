import type { Model, ModelRequest } from '../../contracts/model.ts'
import { isAgentKitError } from '../../data/errors.ts'
import { type Cost, reportedUsage, type Usage } from '../../data/usage.ts'
import { costOf, priceOf } from '../../policies/price.ts'
import type { Reply } from '../../runs/reply.ts'
import { estimateRequest, estimateText } from '../../tokens/estimate-tokens.ts'
import type { Run } from '../run/types.ts'

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
  const { inputTokens, outputTokens } = partsOf(reported, {
    input: () => estimateRequest(request, model.info),
    output: () => estimateReply(reply),
  })
  const totalTokens = reported.totalTokens ?? inputTokens + outputTokens
  const isEstimated = reported.inputTokens === undefined || reported.outputTokens === undefined
  return { ...reported, inputTokens, outputTokens, totalTokens, ...(isEstimated ? { estimated: true } : {}) }
}

type Parts = { inputTokens: number; outputTokens: number }

/** What is not reported is estimated; a total that is reported is the sum, where it has room for what is known. */
function partsOf(reported: Usage, estimate: { input(): number; output(): number }): Parts {
  const { inputTokens, outputTokens, totalTokens: total = 0 } = reported
  if (inputTokens !== undefined && outputTokens !== undefined) return { inputTokens, outputTokens }
  if (inputTokens !== undefined) {
    return { inputTokens, outputTokens: total > inputTokens ? total - inputTokens : estimate.output() }
  }
  if (outputTokens !== undefined) {
    return { inputTokens: total > outputTokens ? total - outputTokens : estimate.input(), outputTokens }
  }
  const input = estimate.input()
  // The part of the total that exceeds the prompt is the answer, which may have hidden parts.
  const output = Math.max(estimate.output(), total - input)
  return { inputTokens: total > output ? total - output : input, outputTokens: output }
}

/** What a call has cost; `undefined` where the price of the model that has answered is not known */
export function callCost(
  { model, agent: { chain }, ledger: { prices } }: Run,
  modelId: string,
  usage: Usage,
): Cost | undefined {
  // A restored step may have been answered by another model of the chain.
  const answered = [model, ...chain.models].find(({ id }) => id === modelId)
  const price = answered && priceOf(answered, prices)
  if (!price) return undefined
  const usd = costOf(usage, price)
  return usage.estimated ? { usd, estimated: true } : { usd }
}

function estimateReply({ text, reasoning, calls }: Reply): number {
  let tokens = estimateText(text) + estimateText(reasoning)
  for (const { name, input, inputText } of calls)
    tokens += estimateText(`${name} ${inputText ?? JSON.stringify(input)}`)
  return tokens
}
