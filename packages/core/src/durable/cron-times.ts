import { invalidArgument } from '../data/errors.ts'

/** The times of a cron expression. */
export type CronTimes = {
  /** The first one later than this, both in milliseconds since 1970; `undefined` when there is none. */
  after(time: number): number | undefined
}

const mostChars = 256

/**
 * Reads a cron expression of five fields. A time that a change to summer time skips comes when the clocks have moved, and
 * one that comes twice comes the first time.
 *
 * @throws AgentKitError `invalid-argument`, naming the field
 */
export async function cronTimes({ cron, timeZone }: { cron: string; timeZone: string }): Promise<CronTimes> {
  checkZone(timeZone)
  if (cron.length > mostChars || cron.trim().split(/\s+/).length !== 5) throw badCron(cron.slice(0, mostChars))
  // Loaded when it is needed: few programs have schedules.
  const { Cron } = await import('croner')
  try {
    const times = new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true })
    return { after: (time) => times.nextRun(new Date(time))?.getTime() }
  } catch (cause) {
    throw badCron(cron, cause)
  }
}

function checkZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch (cause) {
    const name = JSON.stringify(timeZone.slice(0, mostChars))
    throw invalidArgument(`\`timeZone\` ${name} is unknown. Pass an IANA name, such as "Europe/Berlin".`, { cause })
  }
}

function badCron(cron: string, cause?: unknown): Error {
  const message = `\`cron\` ${JSON.stringify(cron)} is not five fields: minute, hour, day, month, weekday. "0 7 * * 1-5" is 7:00 on workdays.`
  return invalidArgument(message, { cause })
}
