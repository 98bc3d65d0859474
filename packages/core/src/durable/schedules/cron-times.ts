import { invalidArgument } from '../../data/errors.ts'

/** The times of a cron expression. */
export type CronTimes = {
  /** The first one later than this, both in milliseconds since 1970; `undefined` when there is none. */
  after(time: number): number | undefined
  /** Whether the field of the hour begins with `*`. */
  readonly isOfEachHour: boolean
}

const mostChars = 256

/**
 * Reads a cron expression of five fields. Of the times that a change to summer time skips, the first comes as much later as the
 * clocks have moved. One that comes twice at the change back comes the first time; both times where the field of the hour
 * begins with `*`.
 *
 * @throws AgentKitError `invalid-argument`, naming the field
 */
export async function cronTimes({ cron, timeZone }: { cron: string; timeZone: string }): Promise<CronTimes> {
  const clock = clockOf(timeZone)
  // `?` is another word for `*`. The library would treat it as a restriction, so that `0 7 ? * MON` was due every day.
  const fields = cron
    .slice(0, mostChars + 1)
    .trim()
    .split(/\s+/)
    .map((field) => (field === '?' ? '*' : field))
  if (cron.length > mostChars || fields.length !== 5) {
    throw badCron(cron.slice(0, mostChars), 'is not five fields: minute, hour, day, month, weekday')
  }
  // Loaded when it is needed: few programs have schedules.
  const { Cron } = await import('croner')
  try {
    const times = new Cron(fields.join(' '), { timezone: timeZone, mode: '5-part', paused: true })
    const isOfEachHour = fields[1]?.startsWith('*') === true
    return {
      isOfEachHour,
      after(time) {
        if (!isOfEachHour) return firstLaterTime(times, time, clock)
        const next = laterTime(times, time)
        // The library leaves the repeated hour out.
        return next === undefined ? undefined : (repeatedTime(times, time, next) ?? next)
      },
    }
  } catch (cause) {
    throw badCron(cron, `cannot be read: ${rules}`, cause)
  }
}

const rules =
  'minute is 0–59, hour 0–23, day 1–31, month 1–12, weekday 0–7; a range goes up, such as 1-5, and a step follows * or a range'

/** The library's next time. Within the repeated hour it returns times of the first one, which have passed. */
function laterTime(times: { nextRun(from: Date): Date | null }, time: number): number | undefined {
  for (let from = time; ; from += minuteMs) {
    const next = times.nextRun(new Date(from))?.getTime()
    if (next === undefined || next > time) return next
  }
}

/**
 * As `laterTime`. Where the clocks move back by half an hour, as on Lord Howe Island, or by two, the library returns the
 * second times.
 */
function firstLaterTime(
  times: { nextRun(from: Date): Date | null },
  time: number,
  clock: Intl.DateTimeFormat,
): number | undefined {
  for (let from = time; ; ) {
    const next = laterTime(times, from)
    if (next === undefined) return undefined
    const shown = clock.format(next)
    const earlier = leftOutMs.map((ms) => next - ms).find((at) => clock.format(at) === shown)
    if (earlier === undefined || earlier > time) return earlier ?? next
    from = next
  }
}

/** The first matching minute between two times, if the library has left one out: it comes for the second time. */
function repeatedTime(times: { match(date: Date): boolean }, time: number, next: number): number | undefined {
  const last = Math.min(next, time + longestRepeatMs)
  for (let at = (Math.floor(time / minuteMs) + 1) * minuteMs; at < last; at += minuteMs) {
    if (times.match(new Date(at))) return at
  }
  return undefined
}

const minuteMs = 60_000
/** How much later than the first times the library's second ones are. */
const leftOutMs = [30 * minuteMs, 120 * minuteMs]
/** No clock moves back by more than two hours. */
const longestRepeatMs = 121 * minuteMs

/** Writes a time as the clocks of a time zone show it. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  } catch (cause) {
    const name = JSON.stringify(timeZone.slice(0, mostChars))
    throw invalidArgument(`\`timeZone\` ${name} is unknown. Pass an IANA name, such as "Europe/Berlin".`, { cause })
  }
}

function badCron(cron: string, problem: string, cause?: unknown): Error {
  const message = `\`cron\` ${JSON.stringify(cron)} ${problem}. "0 7 * * 1-5" is 7:00 on workdays.`
  return invalidArgument(message, { cause })
}
