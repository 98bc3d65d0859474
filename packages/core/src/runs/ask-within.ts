import type { Deadline } from '../policies/deadline.ts'
import type { RunDriver } from './driver/run-driver.ts'

/** How a member asks and waits: as its swarm does, whose path the member continues, while its own deadline is held. */
export function askWithin(
  { ask, pause }: Pick<RunDriver, 'ask' | 'pause'>,
  memberId: string,
  deadline: Deadline,
): Pick<RunDriver, 'ask' | 'pause'> {
  return {
    async ask(approval, signal) {
      const release = deadline.hold()
      const asked = ask({ ...approval, path: [memberId, ...(approval.path ?? [])] }, signal)
      return asked.finally(release)
    },
    pause() {
      const [release, resumeClock] = [deadline.hold(), pause()]
      return () => {
        release()
        resumeClock()
      }
    },
  }
}
