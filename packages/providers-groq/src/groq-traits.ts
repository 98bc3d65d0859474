import type { ModelFacts, OpenAITraits } from '@agentkit/wire'

/** What a model on Groq takes, beside what its facts say. */
export type GroqTraits = OpenAITraits & {
  /** The degrees of reasoning that `reasoning_effort` knows. */
  efforts: 'graded' | 'on-or-off'
  /** Whether it must be told to keep its reasoning apart from its answer. */
  reasoningFormat: boolean
}

/**
 * What is known of a model by its name and its facts. A name that says nothing is taken to accept what it is asked.
 * @param model as Groq calls it, with its maker: `openai/gpt-oss-120b`, `qwen/qwen3.8-27b`
 */
export function groqTraits(model: string, facts: ModelFacts | undefined): GroqTraits {
  const gptOss = /(?:^|\/)gpt-oss/.test(model)
  const [qwen, minor] = /(?:^|\/)qwen3(?:\.(\d+))?/.exec(model) ?? []
  return {
    reasoning: gptOss || qwen !== undefined || (withoutReasoning.test(model) ? false : facts?.reasoning),
    sampling: true,
    stop: true,
    parallelToolCalls: true,
    leastEffort: gptOss ? 'low' : 'none',
    chatTools: 'always',
    // Degrees came with 3.8; the ones before know only `none` and `default`.
    efforts: qwen !== undefined && Number(minor ?? 0) < 8 ? 'on-or-off' : 'graded',
    // gpt-oss keeps it apart by itself, and refuses the word.
    reasoningFormat: qwen !== undefined,
  }
}

/** Families that are not told of the word, lest they refuse it. */
const withoutReasoning = /(?:^|\/)(?:llama|gemma|allam|compound|kimi-k2-instruct)/
