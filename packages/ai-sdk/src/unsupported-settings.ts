import type { LanguageModelV3CallOptions, SharedV3Warning } from '@ai-sdk/provider'

/** A warning for each setting of a call that an agent does not take: it has its own model, tools and limits. */
export function unsupportedSettings(call: LanguageModelV3CallOptions): SharedV3Warning[] {
  const { tools = [], responseFormat } = call
  const warnings: SharedV3Warning[] = settings
    .filter((feature) => call[feature] !== undefined)
    .map((feature) => ({ type: 'unsupported', feature }))
  if (tools.length > 0) {
    const names = tools.map(({ name }) => name).join(', ')
    warnings.unshift({
      type: 'unsupported',
      feature: 'tools',
      details: `The agent has its own tools, and does not call: ${names}. Give them to the agent as functions.`,
    })
  }
  if (responseFormat?.type === 'json') {
    warnings.push({
      type: 'compatibility',
      feature: 'responseFormat',
      details: 'The agent is asked for JSON in words. Give it an `output` schema for answers that it validates.',
    })
  }
  return warnings
}

const settings = [
  ...(['maxOutputTokens', 'temperature', 'topP', 'topK', 'presencePenalty', 'frequencyPenalty'] as const),
  ...(['stopSequences', 'seed'] as const),
] as const
