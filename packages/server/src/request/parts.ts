import type { Runnable } from '@agentkit/core'
import type { Capacity } from '../capacity/capacity.ts'
import type { Limits } from '../limits.ts'
import type { LogEntry } from '../util/log.ts'

/** The parts that all routes share. */
export type RouteParts = {
  agent: Runnable
  capacity: Capacity
  limits: Limits
  log: (entry: LogEntry) => void
  rules: RouteRules
  /** Whether `bytes` more may be stored, within `retention.maxDiskMb`. */
  hasRoom?: (bytes: number) => boolean | Promise<boolean>
}

/** Options of the server that decide what a caller may do. */
export type RouteRules = {
  /** Requests need a token. */
  hasAuth: boolean
  /** Who decides on approvals: the user of the run, or only a token for any user or with `mayApprove`. */
  approvals: 'owner' | 'service'
  /** The path in front of every other, such as `/agent`; empty for none. Links in answers begin with it. */
  basePath: string
  /** Each user has files of their own. */
  perUserFiles: boolean
  /** The protocols that are served beside `/api/v1`. */
  dialects: ReadonlySet<string>
  playground: boolean
  /** `/docs` and `/openapi.json` are served. */
  docs: boolean
  metrics: boolean
}
