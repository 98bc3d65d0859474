import { checkOptionNames, invalidConfig, type KeptRules } from '@agentkit/core/internal'

/** How long data is kept; `[retention]` of the configuration file. 0 or absent: without limit. */
export type RetentionOptions = {
  /** Sessions that were not used for this number of days are removed. */
  retentionDays?: number
  /** A user's oldest sessions beyond this number are removed. */
  maxSessionsPerUser?: number
  /** The size of events and uploaded files, in megabytes, above which events are removed and uploads refused. */
  maxDiskMb?: number
}

const maxDays = 36_500
const dayMs = 24 * 3_600_000

/** @throws AgentKitError `invalid-config` for an unknown name and a value out of range, with the fix */
export function checkRetention(given: RetentionOptions = {}): Required<RetentionOptions> {
  checkOptionNames(
    given,
    { retentionDays: true, maxSessionsPerUser: true, maxDiskMb: true },
    { code: 'invalid-config', of: 'retention' },
  )
  const { retentionDays = 0, maxSessionsPerUser = 0, maxDiskMb = 0 } = given
  if (!(typeof retentionDays === 'number' && retentionDays >= 0 && retentionDays <= maxDays)) {
    throw invalidConfig(`\`retention.retentionDays\` is a number of days from 0 (off) to ${maxDays}.`)
  }
  if (!Number.isSafeInteger(maxSessionsPerUser) || maxSessionsPerUser < 0) {
    throw invalidConfig('`retention.maxSessionsPerUser` is a whole number; 0 is off.')
  }
  if (!(Number.isFinite(maxDiskMb) && maxDiskMb >= 0)) {
    throw invalidConfig('`retention.maxDiskMb` is a number of megabytes; 0 is off.')
  }
  return { retentionDays, maxSessionsPerUser, maxDiskMb }
}

/** The same, as a store takes it. */
export function rulesOf({ retentionDays, maxSessionsPerUser }: Required<RetentionOptions>): KeptRules {
  return { sessionsMs: retentionDays * dayMs, sessionsPerUser: maxSessionsPerUser }
}

/** The limit for an agent's data, in bytes; 0 for no limit. */
export function maxBytesOf({ maxDiskMb }: Required<RetentionOptions>): number {
  return maxDiskMb * 1_000_000
}
