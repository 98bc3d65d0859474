import type { SpanEnd, SpanStart } from '@agentkit/core/internal'
import type { Attributes, Meter } from '@opentelemetry/api'
import { errorTypeOf, metricAttributes } from './attributes.ts'
import { boundaries, type Conventions } from './conventions.ts'
import { limits } from './limits.ts'

/** The numbers of a run's calls. */
export type Calls = { model: number; tool: number }

/** Records a span that has ended. @param by the calls of the span, and its agent */
export type RecordSpan = (
  about: SpanStart,
  end: SpanEnd,
  seconds: number,
  by: { calls: Calls; agent: string | undefined },
) => void

/** The instruments of the conventions. */
export function createRecorder(meter: Meter, names: Conventions): RecordSpan {
  const { metrics } = names
  const duration = (name: string, description: string, explicitBucketBoundaries = boundaries.seconds) => {
    return meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries } })
  }
  const calls = (name: string, description: string, unit: string) => {
    return meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries: boundaries.calls } })
  }
  const tokens = (name: string, description: string) => meter.createCounter(name, { description, unit: '{token}' })
  const durations = {
    run: duration(metrics.agentDuration, 'Duration of an invocation of an agent.', boundaries.agentSeconds),
    model: duration(metrics.modelDuration, 'Duration of one attempt of a model.'),
    tool: duration(metrics.toolDuration, 'Duration of a tool call.'),
    mcp: duration(metrics.mcpDuration, 'Duration of a request to an MCP server.', boundaries.requestSeconds),
    retrieval: duration(metrics.retrievalDuration, 'Duration of a retrieval.'),
  }
  const modelCalls = calls(
    metrics.agentModelCalls,
    'Attempts of models in an invocation of an agent.',
    '{inference_call}',
  )
  const toolCalls = calls(metrics.agentToolCalls, 'Tool calls in an invocation of an agent.', '{tool_call}')
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

  /** Most calls have the attributes of earlier ones, which are several objects. */
  const known = new Map<string, Labels>()
  const labelsOf = (about: SpanStart, end: SpanEnd, agent: string | undefined): Labels => {
    const key = keyOf(about, end, agent)
    let found = known.get(key)
    if (!found) {
      if (known.size >= limits.knownLabels) known.clear()
      found = createLabels(metricAttributes(about, { ...end, agent }, names), names)
      known.set(key, found)
    }
    return found
  }

  return (about, end, seconds, { calls: { model, tool }, agent }) => {
    const { labels, counted, inputs, outputs } = labelsOf(about, end, agent)
    durations[about.type].record(seconds, labels)
    if (about.type === 'run') {
      modelCalls.record(model, labels)
      toolCalls.record(tool, labels)
    }
    if (!end.usage) return
    const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = end.usage
    if (inputTokens !== undefined) {
      input.add(inputTokens, counted)
      perCall.record(inputTokens, inputs)
    }
    if (outputTokens !== undefined) {
      output.add(outputTokens, counted)
      perCall.record(outputTokens, outputs)
    }
    if (cachedInputTokens !== undefined) cacheRead.add(cachedInputTokens, counted)
    if (cacheWriteTokens !== undefined) cacheWrite.add(cacheWriteTokens, counted)
    if (reasoningTokens !== undefined) reasoning.add(reasoningTokens, counted)
  }
}

/** The attributes of one call, in each of its metrics. */
type Labels = { labels: Attributes; counted: Attributes; inputs: Attributes; outputs: Attributes }

function createLabels(labels: Attributes, { attributes }: Conventions): Labels {
  const { [attributes.errorType]: _, ...spent } = labels
  return {
    labels,
    counted: { ...spent, [attributes.tokenModality]: 'unknown' },
    inputs: { ...spent, [attributes.tokenType]: 'input' },
    outputs: { ...spent, [attributes.tokenType]: 'output' },
  }
}

/** All that the attributes of a metric are made of. */
function keyOf(about: SpanStart, end: SpanEnd, agent = ''): string {
  const error = errorTypeOf(end) ?? ''
  switch (about.type) {
    case 'run':
      return `run\n${about.name}\n${about.isWorkflow}\n${error}`
    case 'model':
      return `model\n${about.model}\n${end.model ?? ''}\n${error}`
    case 'tool':
      return `tool\n${about.description === undefined ? '' : about.name}\n${agent}\n${error}`
    case 'mcp':
      return `mcp\n${about.server?.host ?? ''}\n${about.tool}\n${error}`
    case 'retrieval':
      return `retrieval\n${about.source}\n${error}`
  }
}
