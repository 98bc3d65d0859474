/** The form in which records show a stored time. */
export function toISO(time: number): string {
  return new Date(time).toISOString()
}
