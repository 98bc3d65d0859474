import { AgentKitError, type AgentRun, type RunResult } from '@agentkit/core'
import { type AgentCallError, toCallError } from './call-error.ts'
import { type RunPart, RunReader } from './run-reader.ts'
import { toAISDKUsage } from './usage.ts'

export type RunPartsOptions = {
  agentId: string
  /** Of `Runnable.speaker`. */
  speaker: string | undefined
  signal: AbortSignal | undefined
  /** Whether the caller drops the parts of a step that is tried again. */
  canDrop: boolean
  /** Whether the caller parses the text as JSON. */
  isJSON: boolean
}

/**
 * The parts of a run, as one answer of the AI SDK. Leaving the loop cancels the run.
 * @throws AgentCallError for a run that fails; the reason of the signal, where that has ended it
 */
export async function* runParts(run: AgentRun, options: RunPartsOptions): AsyncGenerator<RunPart> {
  const { agentId, signal } = options
  const reader = new RunReader(options.canDrop, options.isJSON, options.speaker)
  const metadata: RunPart = { type: 'response-metadata', id: run.runId, modelId: agentId, timestamp: new Date() }
  let hasBegun = false
  for await (const event of run) {
    const parts = reader.read(event)
    // Not before the first part of the run: a failure until then can be repeated.
    if (parts.length > 0 && !hasBegun) yield metadata
    hasBegun ||= parts.length > 0
    yield* parts
  }
  const result: RunResult = await run.result
  const failure = callErrorOf(result, agentId, reader)
  if (failure && signal?.aborted) throw abortReason(signal)
  if (failure) throw failure
  if (!hasBegun) yield metadata
  yield* reader.end(result.text)
  const { runId, approvals, finishReason, usage } = result
  const waiting = finishReason === 'approval' ? { approvals } : {}
  yield {
    type: 'finish',
    finishReason: { unified: reasons[finishReason] ?? 'other', raw: finishReason },
    usage: toAISDKUsage(usage),
    // Approvals are plain JSON.
    providerMetadata: { agentkit: { runId, ...waiting } as never },
  }
}

/** As in the server's dialects: an answer that its limits have cut is `length`. */
const reasons: Partial<Record<RunResult['finishReason'], 'stop' | 'length' | 'content-filter' | 'other'>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
  'max-steps': 'length',
  budget: 'length',
  'no-progress': 'length',
  approval: 'other',
}

/** Like `chat()`: a run that its limits have ended is a failure only if it has said nothing. */
function callErrorOf(result: RunResult, agentId: string, reader: RunReader): AgentCallError | undefined {
  const { finishReason, text, error } = result
  switch (finishReason) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'approval':
      return undefined
    case 'max-steps':
    case 'budget':
    case 'no-progress':
      if (text !== '' || reader.hasText) return undefined
  }
  const code = finishReason === 'error' ? 'provider-error' : finishReason
  const failed = error ?? new AgentKitError(code, `The run ${result.runId} ended with "${finishReason}".`)
  // A run that has called tools is not repeated: they may have changed something.
  return toCallError(failed, agentId, !reader.hasCalls)
}

/** The AI SDK recognizes an abort by the name of the error. */
function abortReason({ reason }: AbortSignal): unknown {
  const isNamed = reason instanceof Error && /^(?:Abort|Timeout)Error$/.test(reason.name)
  return isNamed ? reason : new DOMException('The call was aborted.', 'AbortError')
}
