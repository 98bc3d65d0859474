import type { Deadline } from '../policies/deadline.ts'
import type { Ask } from './run-driver.ts'

/** How the calls of a member ask: as its swarm does, whose path the member continues, while its own deadline is held. */
export function askWithin(ask: Ask, memberId: string, deadline: Deadline): Ask {
  return async (approval, signal) => {
    const release = deadline.hold()
    const asked = ask({ ...approval, path: [memberId, ...(approval.path ?? [])] }, signal)
    return asked.finally(release)
  }
}
