import { invalidConfig } from '@agentkit/core/internal'
import { defaultLimits, type Limits } from './limits.ts'

/** The longest delay of Node's timers. */
const longestTimerMs = 2 ** 31 - 1

/** Limits that may be 0. */
const from0: readonly (keyof Limits)[] = ['queuedRuns', 'userQueuedRuns', 'queued', 'userQueued']

/** @throws AgentKitError `invalid-config` for an unknown limit and a value out of range, with the fix */
export function checkLimits(given: Partial<Limits> = {}): Limits {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidConfig('`limits` is an object such as { deadlineMs: 60_000 }.')
  const limits: Limits = { ...defaultLimits }
  for (const [name, value] of Object.entries(given)) {
    if (!isLimitName(name)) {
      throw invalidConfig(`There is no limit "${name}". The limits are ${Object.keys(defaultLimits).join(', ')}.`)
    }
    if (value === undefined) continue
    if (name === 'userDailyUsd') {
      if (!Number.isFinite(value) || value <= 0) {
        throw invalidConfig(
          `The limit "userDailyUsd" is ${value}. Pass a number of US dollars above 0, or leave it out.`,
        )
      }
    } else {
      const max = name.endsWith('Ms') ? longestTimerMs : Number.MAX_SAFE_INTEGER
      const min = from0.includes(name) ? 0 : 1
      if (!Number.isSafeInteger(value) || value < min || value > max) {
        throw invalidConfig(`The limit "${name}" is ${value}. Pass a whole number from ${min} to ${max}.`)
      }
    }
    limits[name] = value
  }
  if (limits.heldBytes < limits.bodyBytes) {
    throw invalidConfig(
      `The limit "heldBytes" is ${limits.heldBytes}, below the size of one body ("bodyBytes", ${limits.bodyBytes}). Raise it.`,
    )
  }
  return limits
}

function isLimitName(name: string): name is keyof Limits {
  return Object.hasOwn(defaultLimits, name)
}
