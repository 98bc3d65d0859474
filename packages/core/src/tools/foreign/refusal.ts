import { type AgentKitError, invalidArgument } from '../../data/errors.ts'
import type { Fields } from './foreign-tool.ts'

/** What a foreign tool may have that agentkit does not do, with the sentence that says so. */
export type Unsupported = readonly (readonly [
  field: string,
  isUsed: (value: unknown, tool: Fields) => boolean,
  why: string,
])[]

/**
 * A tool that would behave differently here is refused: a guardrail that is dropped silently guards nothing.
 * @throws AgentKitError `invalid-argument`, naming the tool and the field
 */
export function refuseUnsupported(name: string, tool: Fields, unsupported: Unsupported): void {
  for (const [field, isUsed, why] of unsupported) {
    if (isUsed(tool[field], tool)) throw refusal(name, `\`${field}\` ${why}`)
  }
}

export function refusal(name: string, problem: string): AgentKitError {
  return invalidArgument(`Tool "${name}": ${problem}`)
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

export function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}
