const labels = '[a-z\\u{a1}-\\u{ffff}0-9](?:-?[a-z\\u{a1}-\\u{ffff}0-9])*'
const privateAddresses = [
  '10(?:\\.\\d{1,3}){3}',
  '127(?:\\.\\d{1,3}){3}',
  '169\\.254(?:\\.\\d{1,3}){2}',
  '192\\.168(?:\\.\\d{1,3}){2}',
  '172\\.(?:1[6-9]|2\\d|3[0-1])(?:\\.\\d{1,3}){2}',
]
const ipAddress =
  `${privateAddresses.map((address) => `(?!${address})`).join('')}(?:[1-9]\\d?|1\\d\\d|2[01]\\d|22[0-3])` +
  '(?:\\.(?:1?\\d{1,2}|2[0-4]\\d|25[0-5])){2}(?:\\.(?:[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-4]))'
const name = `${labels}(?:\\.${labels})*\\.[a-z\\u{a1}-\\u{ffff}]{2,}`
const url = new RegExp(`^(?:https?|ftp)://(?:\\S+@)?(?:${ipAddress}|${name})(?::\\d{2,5})?(?:/\\S*)?$`, 'iu')

/**
 * Replaces the validator's `format: 'url'`. The validator's own pattern accepts the same, but its time doubles with each
 * character of a name without a dot: 40 of them, which a model may write, blocked the process for minutes.
 */
export function isURL(text: string): boolean {
  return url.test(text)
}
