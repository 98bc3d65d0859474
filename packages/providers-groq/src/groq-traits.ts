import { type ModelFacts, modelTraits, type OpenAITraits, type TraitTable } from '@agentkit/wire'

/** What a model on Groq accepts, beside what its facts say. */
export type GroqTraits = OpenAITraits & {
  /** The degrees of reasoning that `reasoning_effort` has. */
  efforts: 'graded' | 'on-or-off'
  /** Whether it separates its reasoning from its answer only on request. */
  reasoningFormat: boolean
}

/**
 * What is known of a model by its name and its facts. A name that says nothing is assumed to accept everything.
 * @param model as Groq calls it, with its maker: `openai/gpt-oss-120b`, `qwen/qwen3.8-27b`
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
    // They may refuse `reasoning_effort`.
    [{ name: /(?:^|\/)(?:llama|gemma|allam|compound|kimi-k2-instruct)/ }, { reasoning: false }],
    // gpt-oss separates its reasoning by itself, and refuses `reasoning_format`.
    [{ name: /(?:^|\/)gpt-oss/ }, { reasoning: true, leastEffort: 'low' }],
    [{ since: '3.0' }, { reasoning: true, reasoningFormat: true }],
    // These have only `none` and `default`.
    [{ since: '3.0', before: '3.8' }, { efforts: 'on-or-off' }],
  ],
}
