import { invalidArgument } from '../data/errors.ts'

/** The times of a cron expression. */
export type CronTimes = {
  /** The first one later than this, both in milliseconds since 1970; `undefined` when there is none. */
  after(time: number): number | undefined
}

const mostChars = 256

/**
 * Reads a cron expression of five fields. A time that a change to summer time skips comes when the clocks have moved. One
 * that comes twice at the change back comes the first time; both times where the field of the hour begins with `*`.
 *
 * @throws AgentKitError `invalid-argument`, naming the field
 */
export async function cronTimes({ cron, timeZone }: { cron: string; timeZone: string }): Promise<CronTimes> {
  checkZone(timeZone)
  if (cron.length > mostChars || cron.trim().split(/\s+/).length !== 5) {
    throw badCron(cron.slice(0, mostChars), 'is not five fields: minute, hour, day, month, weekday')
  }
  // Loaded when it is needed: few programs have schedules.
  const { Cron } = await import('croner')
  try {
    const times = new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true })
    const isOfEachHour = cron.trim().split(/\s+/)[1]?.startsWith('*') === true
    return {
      after(time) {
        const next = times.nextRun(new Date(time))?.getTime()
        // The library leaves the repeated hour out.
        return isOfEachHour && next !== undefined ? (repeatedTime(times, time, next) ?? next) : next
      },
    }
  } catch (cause) {
    throw badCron(cron, 'cannot be read: minute is 0–59, hour 0–23, day 1–31, month 1–12, weekday 0–7', cause)
  }
}

/** The first matching minute between two times, if the library has left one out. */
function repeatedTime(times: { match(date: Date): boolean }, time: number, next: number): number | undefined {
  if (next - time > mostScannedMs) return undefined
  for (let at = (Math.floor(time / minuteMs) + 1) * minuteMs; at < next; at += minuteMs) {
    if (times.match(new Date(at))) return at
  }
  return undefined
}

const minuteMs = 60_000
/** Two changes of the clocks are never in one day. */
const mostScannedMs = 26 * 3_600_000

function checkZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch (cause) {
    const name = JSON.stringify(timeZone.slice(0, mostChars))
    throw invalidArgument(`\`timeZone\` ${name} is unknown. Pass an IANA name, such as "Europe/Berlin".`, { cause })
  }
}

function badCron(cron: string, problem: string, cause?: unknown): Error {
  const message = `\`cron\` ${JSON.stringify(cron)} ${problem}. "0 7 * * 1-5" is 7:00 on workdays.`
  return invalidArgument(message, { cause })
}
