import type { Usage } from '@agentkit/core'
import { mergeUsage, withTotal } from '@agentkit/wire'

/** The usage in Anthropic's form: `input_tokens` excludes tokens that were read from the cache or written to it. */
type WireUsage = {
  input_tokens?: number | null
  cache_creation_input_tokens?: number | null
  cache_read_input_tokens?: number | null
  output_tokens?: number | null
  output_tokens_details?: { thinking_tokens?: number | null } | null
}

/** Merges the usage of an answer's events: the last report counts, and a later null or zero erases nothing. */
export class AnthropicUsage {
  #input: Usage = {}
  #read: Usage = {}
  #written: Usage = {}
  #output: Usage = {}

  add(reported: unknown): void {
    if (typeof reported !== 'object' || reported === null) return
    const usage: WireUsage = reported
    this.#input = mergeUsage(this.#input, { input_tokens: usage.input_tokens })
    this.#read = mergeUsage(this.#read, { input_tokens: usage.cache_read_input_tokens })
    this.#written = mergeUsage(this.#written, { input_tokens: usage.cache_creation_input_tokens })
    const reasoning_tokens = usage.output_tokens_details?.thinking_tokens
    this.#output = mergeUsage(this.#output, {
      output_tokens: usage.output_tokens,
      output_tokens_details: { reasoning_tokens },
    })
  }

  total(): Usage {
    const usage: Usage = { ...this.#output }
    const [read, written] = [this.#read.inputTokens, this.#written.inputTokens]
    if (this.#input.inputTokens !== undefined)
      usage.inputTokens = this.#input.inputTokens + (read ?? 0) + (written ?? 0)
    if (read !== undefined) usage.cachedInputTokens = read
    if (written !== undefined) usage.cacheWriteTokens = written
    return withTotal(usage)
  }
}
