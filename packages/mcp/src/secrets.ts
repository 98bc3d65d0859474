import type { Server } from './options.ts'

/** Names of headers, parameters and variables whose values are credentials. */
const secretName = /key|token|auth|secret|cookie|pass|credential|signature|\bsig\b/i

/**
 * The values to redact from what a server writes about a failure: it may quote the credentials that it was sent, in headers,
 * with and without their scheme, in its address, both encoded and decoded, or in the variables of its process.
 */
export function secretsOf({ headers = {}, env = {}, url }: Pick<Server, 'headers' | 'env' | 'url'>): string[] {
  const sent = Object.entries(headers).flatMap(([name, value]) => [
    [name, value],
    [name, value.replace(/^\w+\s+/, '')],
  ])
  const inAddress = (url?.search.slice(1) ?? '').split('&').flatMap((parameter) => {
    const [[name, value] = ['', '']] = new URLSearchParams(parameter)
    return [
      [name, value],
      [name, parameter.slice(parameter.indexOf('=') + 1)],
    ]
  })
  return [...sent, ...Object.entries(env), ...inAddress].flatMap(([name = '', value = '']) =>
    secretName.test(name) && value !== '' ? [value] : [],
  )
}
