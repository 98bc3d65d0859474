import type { SpanEnd, SpanStart } from '@agentkit/core/internal'
import type { Attributes, Meter } from '@opentelemetry/api'
import { metricAttributes } from './attributes.ts'
import { boundaries, type Conventions } from './conventions.ts'

/** What a run has called. */
export type Calls = { model: number; tool: number }

/** Records a span that has ended. */
export type RecordSpan = (about: SpanStart, end: SpanEnd, seconds: number, calls: Calls) => void

/** The instruments of the conventions. */
export function createRecorder(meter: Meter, names: Conventions): RecordSpan {
  const { metrics, attributes } = names
  const duration = (name: string, description: string, explicitBucketBoundaries = boundaries.seconds) => {
    return meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries } })
  }
  const calls = (name: string, description: string) => {
    return meter.createHistogram(name, {
      description,
      unit: '{call}',
      advice: { explicitBucketBoundaries: boundaries.calls },
    })
  }
  const tokens = (name: string, description: string) => meter.createCounter(name, { description, unit: '{token}' })
  const durations = {
    run: duration(metrics.agentDuration, 'Duration of an invocation of an agent.'),
    model: duration(metrics.modelDuration, 'Duration of one attempt of a model.'),
    tool: duration(metrics.toolDuration, 'Duration of a tool call.'),
    mcp: duration(metrics.mcpDuration, 'Duration of a request to an MCP server.', boundaries.requestSeconds),
    retrieval: duration(metrics.operationDuration, 'Duration of a retrieval.'),
  }
  const modelCalls = calls(metrics.agentModelCalls, 'Attempts of models in an invocation of an agent.')
  const toolCalls = calls(metrics.agentToolCalls, 'Tool calls in an invocation of an agent.')
  const input = tokens(metrics.inputTokens, 'Input tokens used.')
  const output = tokens(metrics.outputTokens, 'Output tokens used.')
  const cacheRead = tokens(metrics.cacheReadTokens, 'Input tokens that were read from a cache of the provider.')
  const cacheWrite = tokens(metrics.cacheWriteTokens, 'Input tokens that were written to a cache of the provider.')
  const reasoning = tokens(metrics.reasoningTokens, 'Output tokens of reasoning.')
  const perCall = meter.createHistogram(metrics.tokenUsage, {
    description: 'Input and output tokens per attempt of a model.',
    unit: '{token}',
    advice: { explicitBucketBoundaries: boundaries.tokens },
  })

  return (about, end, seconds, { model, tool }) => {
    const labels = metricAttributes(about, end, names)
    durations[about.type].record(seconds, labels)
    if (about.type === 'run') {
      modelCalls.record(model, labels)
      toolCalls.record(tool, labels)
    }
    const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = end.usage ?? {}
    const { [attributes.errorType]: _, ...spent } = labels
    const counted: Attributes = { ...spent, [attributes.tokenModality]: 'unknown' }
    for (const [counter, count] of [
      [input, inputTokens],
      [output, outputTokens],
      [cacheRead, cachedInputTokens],
      [cacheWrite, cacheWriteTokens],
      [reasoning, reasoningTokens],
    ] as const) {
      if (count !== undefined) counter.add(count, counted)
    }
    if (inputTokens !== undefined) perCall.record(inputTokens, { ...spent, [attributes.tokenType]: 'input' })
    if (outputTokens !== undefined) perCall.record(outputTokens, { ...spent, [attributes.tokenType]: 'output' })
  }
}
