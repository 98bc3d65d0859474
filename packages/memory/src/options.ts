import { AgentKitError, type MemoryOptions } from '@agentkit/core'
import { checkOptions, isFlag, type OptionRules } from '@agentkit/core/internal'
import { limits } from './limits.ts'

const rules: OptionRules<MemoryOptions> = {
  recall: isFlag,
  notes: isFlag,
  days: {
    is: `a whole number of days, from 1 to ${limits.days}`,
    holds: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limits.days,
  },
}

/** @throws AgentKitError `invalid-argument` for an unknown or invalid option, with the fix */
export function checkMemoryOptions(options: MemoryOptions): void {
  checkOptions(options, rules, { of: 'memory', example: '{ days: 365 }' })
  if (options.recall !== false || options.notes !== false) return
  const message = 'With `recall: false` and `notes: false` nothing is remembered. Leave `memory` out, or one of them.'
  throw new AgentKitError('invalid-argument', message)
}
