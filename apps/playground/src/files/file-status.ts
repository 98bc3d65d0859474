import type { FileBody } from '../api/types.ts'
import { plainName } from '../run/format.ts'
import { hasText, t } from '../text/t.ts'

/** Whether the agent can answer from a file, and why not. */
export function fileStatus({ status, reason }: FileBody): string {
  const key = `files.status.${status}`
  const text = hasText(key) ? t(key) : plainName(status, 40)
  return status === 'ok' || !reason ? text : `${text}: ${plainName(reason, 300)}`
}
