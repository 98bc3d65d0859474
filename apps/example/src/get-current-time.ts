/**
 * Tell the current date and time in a time zone.
 *
 * @param timeZone IANA time zone, for example Europe/Paris
 * @returns The time zone, with its date and time in words.
 */
export function getCurrentTime(timeZone: string): { timeZone: string; time: string } {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' })
  return { timeZone, time: format.format(new Date()) }
}
