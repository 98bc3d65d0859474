/** What an OpenAI model takes. A name that says nothing is taken to accept what it is asked. */
export type OpenAITraits = {
  /** Whether it reasons; `undefined` when the name does not tell. */
  reasoning: boolean | undefined
  /** Whether it takes `temperature`. */
  sampling: boolean
  /** Whether it takes `stop`. */
  stop: boolean
  parallelToolCalls: boolean
  /** The least effort it takes. */
  leastEffort: 'none' | 'minimal' | 'low'
  /** With which efforts Chat Completions takes function tools. */
  chatTools: 'always' | 'default-effort' | 'no-effort'
}

/**
 * What is known of a model by its OpenAI name, wherever it is served.
 * @param model without the provider: `gpt-5.6-sol`, `o4-mini`, also `openai/gpt-5` as gateways write it
 */
export function openaiTraits(model: string): OpenAITraits {
  const name = model.replace(/^(?:openai\/|ft:)/, '')
  const oSeries = /^o[1-9]/.test(name)
  const [, major, minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?/.exec(name) ?? []
  const version = major === undefined ? undefined : Number(major) * 100 + Number(minor)
  const reasoning = reasons(name, oSeries, version)
  return {
    reasoning,
    sampling: reasoning !== true,
    // The first ones that reason take it; `o3` and all that came after it refuse it.
    stop: reasoning !== true || /^o(?:1|3-mini)(?:-|$)/.test(name),
    parallelToolCalls: !oSeries,
    leastEffort: leastEffort(oSeries, version),
    chatTools: chatTools(reasoning ? version : undefined),
  }
}

function reasons(name: string, oSeries: boolean, version: number | undefined): boolean | undefined {
  if (oSeries || name.startsWith('codex-')) return true
  if (name.startsWith('chatgpt-') || name.startsWith('gpt-5-chat')) return false
  return version === undefined ? undefined : version >= 500
}

/** `none` came with gpt-5.1; of gpt-6 not every model takes it. */
function leastEffort(oSeries: boolean, version: number | undefined): OpenAITraits['leastEffort'] {
  if (oSeries) return 'low'
  if (version === 500) return 'minimal'
  return version !== undefined && version >= 600 ? 'low' : 'none'
}

/** From gpt-5.4 on tools and an effort exclude each other there; from 5.6 on the default is an effort. */
function chatTools(version = 0): OpenAITraits['chatTools'] {
  if (version >= 506) return 'no-effort'
  return version >= 504 ? 'default-effort' : 'always'
}
