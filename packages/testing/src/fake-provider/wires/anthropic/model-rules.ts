/** The capabilities of a Claude model; they depend on its generation, not on the version of the API. */
export type ModelRules = {
  /** Continues an assistant message at the end (prefill). */
  takesPrefill: boolean
  /** The supported `thinking.type`s. */
  thinking: readonly string[]
  /** Supports a `tool_choice` of `any` and `tool`. */
  takesForcedTools: boolean
  takesEffort: boolean
  /** Supports `temperature`, `top_p` and `top_k`, where the version of the API has them. */
  takesSampling: boolean
  /** Returns thinking without its text unless the request asks for it. */
  omitsThinking: boolean
  /** Binds its thinking to everything before it in the request. */
  bindsThinking: boolean
  maxTokens: number
}

/** An unknown model supports everything. */
const unknown: ModelRules = {
  takesPrefill: true,
  thinking: ['enabled', 'adaptive', 'disabled', 'between_tools'],
  takesForcedTools: true,
  takesEffort: true,
  takesSampling: true,
  omitsThinking: false,
  bindsThinking: false,
  maxTokens: Number.POSITIVE_INFINITY,
}

export function modelRules(model: string): ModelRules {
  const named = /claude-(opus|sonnet|haiku|fable|mythos)-(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(model)
  if (!named) return unknown
  const [, family = '', major, minor = '0'] = named
  const version = Number(`${major}.${minor}`)
  const alwaysThinks = family === 'fable' || family === 'mythos' || (family === 'opus' && version >= 5.5)
  const isSonnet55 = family === 'sonnet' && version >= 5.5
  const thinking: string[] = []
  if (version < 4.7 && !alwaysThinks) thinking.push('enabled')
  if (version >= 4.6) thinking.push('adaptive')
  if (!alwaysThinks && !isSonnet55) thinking.push('disabled')
  if (version >= 5.5 && !alwaysThinks) thinking.push('between_tools')
  return {
    takesPrefill: version < 4.6,
    thinking,
    takesForcedTools: !(isSonnet55 || (alwaysThinks && version > 5)),
    takesEffort: version >= 4.6 || (family === 'opus' && version === 4.5),
    takesSampling: version < 4.7,
    omitsThinking: version >= 4.7,
    bindsThinking: version > 5,
    maxTokens: version >= 4.6 ? 128_000 : family === 'opus' && version < 4.5 ? 32_000 : 64_000,
  }
}
