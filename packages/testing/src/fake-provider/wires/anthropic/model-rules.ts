/** What a Claude model takes and does; it differs by its generation, not by the version of the API. */
export type ModelRules = {
  /** Goes on from an assistant message at the end. */
  takesPrefill: boolean
  /** The `thinking.type`s that it takes. */
  thinking: readonly string[]
  /** Takes a `tool_choice` of `any` and `tool`. */
  takesForcedTools: boolean
  takesEffort: boolean
  /** Takes `temperature`, `top_p` and `top_k`, where the version of the API knows them. */
  takesSampling: boolean
  /** Gives thinking without its text unless it is asked to show it. */
  omitsThinking: boolean
  /** Binds its thinking to all that came before it in the request. */
  bindsThinking: boolean
  maxTokens: number
}

/** Of a model that this file does not know, nothing is refused. */
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
