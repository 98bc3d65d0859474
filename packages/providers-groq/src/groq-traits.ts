import { type ModelFacts, modelTraits, type OpenAITraits, type TraitTable } from '@agentkit/wire'

/** The abilities of a model on Groq that its facts do not have. */
export type GroqTraits = OpenAITraits & {
  /** The degrees of reasoning that `reasoning_effort` has. */
  efforts: 'graded' | 'on-or-off'
  /** Whether it separates its reasoning from its answer only on request. */
  reasoningFormat: boolean
}

/**
 * The traits of a model by its name and its facts. A model with an unknown name is assumed to accept everything.
 * @param model Groq's name of the model, with its maker: `openai/gpt-oss-120b`, `qwen/qwen3.8-27b`
 */
export function groqTraits(model: string, facts: ModelFacts | undefined): GroqTraits {
  const traits = modelTraits(model, table)
  return { ...traits, reasoning: traits.reasoning ?? facts?.reasoning }
}

const table: TraitTable<GroqTraits> = {
  version: /(?:^|\/)qwen(3)(?:\.(\d+))?/,
  defaults: {
    reasoning: undefined,
    temperature: true,
    stop: true,
    parallelToolCalls: true,
    // Only without streaming and without tools.
    nativeOutput: false,
    leastEffort: 'none',
    chatTools: 'always',
    caching: 'none',
    efforts: 'graded',
    reasoningFormat: false,
  },
  rows: [
    // These models may refuse `reasoning_effort`.
    [{ name: /(?:^|\/)(?:llama|gemma|allam|compound|kimi-k2-instruct)/ }, { reasoning: false }],
    // gpt-oss separates its reasoning by itself, and refuses `reasoning_format`.
    [{ name: /(?:^|\/)gpt-oss/ }, { reasoning: true, leastEffort: 'low' }],
    [{ since: '3.0' }, { reasoning: true, reasoningFormat: true }],
    // These have only `none` and `default`.
    [{ since: '3.0', before: '3.8' }, { efforts: 'on-or-off' }],
  ],
}
