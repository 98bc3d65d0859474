import { AgentKitError, invalidArgument } from '../data/errors.ts'
import { limits } from '../limits.ts'

/** @throws AgentKitError `invalid-argument` for what is no time to wait */
export function milliseconds(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= limits.longestTimerMs)) return value
  const message = `${name} is a number of milliseconds, above 0 and at most ${limits.longestTimerMs}. Leave it out for the default.`
  throw new AgentKitError('invalid-argument', message)
}

export function wholeNumber(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return value
  throw invalidArgument(`\`${name}\` is a whole number above 0.`)
}
