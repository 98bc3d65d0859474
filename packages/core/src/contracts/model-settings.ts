import { isRecord } from '../data/message-problem.ts'
import { checkOptions, isAmount, isCount, isFlag, isOneOf, isTextList, type OptionRule } from '../util/check-options.ts'
import type { ModelRequest } from './model.ts'

/**
 * How an agent's model answers, in each step. What a model does not take is left out, with a warning in the result, so
 * that one set of them serves a whole chain of models.
 */
export type ModelSettings = Pick<
  ModelRequest,
  'temperature' | 'maxOutputTokens' | 'stop' | 'reasoning' | 'parallelToolCalls'
> & {
  /** For the first step alone: a choice that forced a call in each would never come to an answer. */
  toolChoice?: ModelRequest['toolChoice']
}

const choices = ['auto', 'none', 'required'] satisfies ModelRequest['toolChoice'][]

export const settingRules: { readonly [Name in keyof Required<ModelSettings>]: OptionRule } = {
  temperature: isAmount,
  maxOutputTokens: isCount,
  stop: { is: 'a list of texts', holds: (value) => isTextList.holds(value) && !(value as string[]).includes('') },
  reasoning: isOneOf(['none', 'low', 'medium', 'high'] satisfies ModelRequest['reasoning'][]),
  parallelToolCalls: isFlag,
  toolChoice: {
    is: '"auto", "none", "required" or { tool: "its name" }',
    holds: (value) => isOneOf(choices).holds(value) || (isRecord(value) && typeof value.tool === 'string'),
  },
}

/** @throws AgentKitError `invalid-argument` for a setting that does not exist or has a wrong value */
export function checkModelSettings(settings: ModelSettings): void {
  checkOptions(settings, settingRules, { of: 'modelSettings', example: '{ temperature: 0 }' })
}

/** What a step asks for: of the choice of a tool only the first is told, and only where there are tools. */
export function settingsFor(
  { toolChoice, ...settings }: ModelSettings,
  step: { isFirst: boolean; hasTools: boolean },
): Partial<ModelRequest> {
  const choice = step.isFirst && step.hasTools && toolChoice !== undefined ? { toolChoice } : {}
  return { ...settings, ...choice }
}
