import { setTimeout as sleep } from 'node:timers/promises'
import { abortError } from '@agentkit/core/internal'

/** Waits. @throws AgentKitError `aborted` or `timeout` at once when the signal ends it */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal })
  } catch {
    throw abortError(signal)
  }
}
