/** How long a server asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterMs(headers: Headers | undefined): number | undefined {
  const milliseconds = parse(headers?.get('retry-after-ms'))
  if (milliseconds !== undefined) return milliseconds
  const told = headers?.get('retry-after')
  const seconds = parse(told)
  if (seconds !== undefined) return seconds * 1000
  // Date.parse takes "-1" for a date too; those of HTTP have names of days.
  const date = told && /[a-z]/i.test(told) ? Date.parse(told) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** Whether a server says that the same request is worth another try: `x-should-retry`, of OpenAI and Anthropic. */
export function shouldRetry(headers: Headers | undefined): boolean | undefined {
  const told = headers?.get('x-should-retry')
  return told === 'true' ? true : told === 'false' ? false : undefined
}

function parse(value: string | null | undefined): number | undefined {
  const number = value?.trim() ? Number(value) : Number.NaN
  return number >= 0 && Number.isFinite(number) ? number : undefined
}
