import { isRecord } from '../data/message-problem.ts'
import {
  checkOptions,
  isAmount,
  isCount,
  isFlag,
  isOneOf,
  isTextList,
  type OptionRule,
} from '../util/options/check-options.ts'
import { agentWords } from '../util/options/foreign-words.ts'
import type { ModelRequest } from './model.ts'

/**
 * How an agent's model answers in each step. A setting that a model does not support is left out, with a warning in the
 * result, so that one set serves a whole chain of models.
 */
export type ModelSettings = Pick<
  ModelRequest,
  'temperature' | 'maxOutputTokens' | 'stop' | 'reasoning' | 'parallelToolCalls'
> & {
  /** For the first step only: a choice that forces a call in every step would never lead to an answer. */
  toolChoice?: ModelRequest['toolChoice']
}

const choices = ['auto', 'none', 'required'] satisfies ModelRequest['toolChoice'][]

export const settingRules: { readonly [Name in keyof Required<ModelSettings>]: OptionRule } = {
  temperature: { is: 'a number, 0 or more', holds: (value) => isAmount.holds(value) && Number.isFinite(value) },
  maxOutputTokens: isCount,
  stop: { is: 'a list of texts that are not empty, in valid Unicode', holds: isStopList },
  reasoning: isOneOf(['none', 'low', 'medium', 'high'] satisfies ModelRequest['reasoning'][]),
  parallelToolCalls: isFlag,
  toolChoice: {
    is: '"auto", "none", "required" or { tool: "its name" }',
    holds: (value) => isOneOf(choices).holds(value) || (isRecord(value) && typeof value.tool === 'string'),
  },
}

/** Many servers reject a whole request for half of a surrogate pair. */
function isStopList(value: unknown): boolean {
  return isTextList.holds(value) && (value as string[]).every((text) => text !== '' && text.isWellFormed())
}

/** @throws AgentKitError `invalid-argument` for an unknown setting or a wrong value */
export function checkModelSettings(settings: ModelSettings): void {
  checkOptions(settings, settingRules, { of: 'modelSettings', example: '{ temperature: 0 }', words: agentWords })
}

/** The settings of one step. `toolChoice` is part of the first step only, and only with tools. */
export function settingsFor(
  { toolChoice, ...settings }: ModelSettings,
  step: { isFirst: boolean; hasTools: boolean },
): Partial<ModelRequest> {
  const choice = step.isFirst && step.hasTools && toolChoice !== undefined ? { toolChoice } : {}
  return { ...settings, ...choice }
}
