import { AgentKitError } from '../data/errors.ts'
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

const efforts: readonly unknown[] = ['none', 'low', 'medium', 'high'] satisfies ModelRequest['reasoning'][]
const choices: readonly unknown[] = ['auto', 'none', 'required'] satisfies ModelRequest['toolChoice'][]
const isFlag = (value: unknown): boolean => typeof value === 'boolean'

const rules: { readonly [Name in keyof Required<ModelSettings>]: { is: string; holds(value: unknown): boolean } } = {
  temperature: { is: 'a number, 0 or above', holds: (value) => typeof value === 'number' && value >= 0 },
  maxOutputTokens: { is: 'a whole number above 0', holds: (value) => Number.isInteger(value) && Number(value) > 0 },
  stop: {
    is: 'a list of texts',
    holds: (value) => Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== ''),
  },
  reasoning: { is: '"none", "low", "medium" or "high"', holds: (value) => efforts.includes(value) },
  parallelToolCalls: { is: 'true or false', holds: isFlag },
  toolChoice: {
    is: '"auto", "none", "required" or { tool: "its name" }',
    holds: (value) =>
      choices.includes(value) ||
      (typeof value === 'object' && value !== null && 'tool' in value && typeof value.tool === 'string'),
  },
}

/** @throws AgentKitError `invalid-argument` for a setting that there is not, or of another kind */
export function checkModelSettings(settings: ModelSettings | undefined): void {
  if (settings !== undefined && (typeof settings !== 'object' || settings === null)) {
    throw new AgentKitError('invalid-argument', '`modelSettings` is an object such as { temperature: 0 }.')
  }
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (value === undefined) continue
    // The rules have these names alone.
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof ModelSettings] : undefined
    if (rule?.holds(value)) continue
    const problem = rule ? `is ${rule.is}` : `is none. There are ${Object.keys(rules).join(', ')}`
    throw new AgentKitError('invalid-argument', `\`modelSettings.${name}\` ${problem}.`)
  }
}

/** What a step asks for: of the choice of a tool only the first is told, and only where there are tools. */
export function settingsFor(
  { toolChoice, ...settings }: ModelSettings,
  step: { isFirst: boolean; hasTools: boolean },
): Partial<ModelRequest> {
  const choice = step.isFirst && step.hasTools && toolChoice !== undefined ? { toolChoice } : {}
  return { ...settings, ...choice }
}
