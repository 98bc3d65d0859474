import type { ModelRequest } from '@agentkit/core'
import type { OpenAITraits } from './traits.ts'

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high'

/** The options of a request that the model supports. */
export type SupportedOptions = {
  temperature?: number
  stop?: string[]
  effort?: ReasoningEffort
  parallelToolCalls?: boolean
}

/** Removes the options that the model would reject, with a warning for each. */
export function supportedOptions(
  request: ModelRequest,
  traits: OpenAITraits,
  model: string,
  warnings: string[],
): SupportedOptions {
  const supported: SupportedOptions = {}
  // A model whose reasoning can be turned off accepts a temperature without it.
  const temperature = traits.temperature || (request.reasoning === 'none' && traits.leastEffort === 'none')
  const drop = (option: string): void => void warnings.push(`"${model}" does not take \`${option}\`: it was left out.`)
  if (request.temperature !== undefined) {
    if (temperature) supported.temperature = request.temperature
    else drop('temperature')
  }
  if (request.stop && request.stop.length > 0) {
    if (traits.stop) supported.stop = request.stop
    else drop('stop')
  }
  if (request.parallelToolCalls !== undefined && request.tools?.length) {
    if (traits.parallelToolCalls) supported.parallelToolCalls = request.parallelToolCalls
    else drop('parallelToolCalls')
  }
  if (request.reasoning !== undefined) {
    if (traits.reasoning === false) {
      if (request.reasoning !== 'none') drop('reasoning')
    } else if (request.reasoning === 'none' && traits.leastEffort !== 'none') {
      supported.effort = traits.leastEffort
      warnings.push(`"${model}" always reasons: the effort "none" was sent as "${traits.leastEffort}".`)
    } else {
      supported.effort = request.reasoning
    }
  }
  return supported
}
