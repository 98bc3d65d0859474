/** Names of headers, parameters and variables whose values are credentials. */
const credentialName = /key|token|auth|secret|cookie|pass|credential|signature|\bsig\b/i

/**
 * The credentials of a connection, which errors of the other side may quote: in headers, with and without their scheme, in
 * the variables of a process, and in the query of an address, both encoded and decoded.
 */
export function credentialsOf(connection: {
  headers?: Readonly<Record<string, string>> | undefined
  env?: Readonly<Record<string, string>> | undefined
  url?: URL | string | undefined
}): string[] {
  const { headers = {}, env = {}, url = '' } = connection
  const sent = Object.entries(headers).flatMap(([name, value]) => [
    [name, value],
    [name, value.replace(/^\w+\s+/, '')],
  ])
  const query = /\?([^#]*)/.exec(String(url))?.[1] ?? ''
  const inQuery = query.split('&').flatMap((parameter) => {
    const [[name, value] = ['', '']] = new URLSearchParams(parameter)
    if (value === '') return []
    return [
      [name, value],
      [name, parameter.slice(parameter.indexOf('=') + 1)],
    ]
  })
  const found = [...sent, ...Object.entries(env), ...inQuery].flatMap(([name = '', value = '']) =>
    credentialName.test(name) && value !== '' ? [value] : [],
  )
  return [...new Set(found)]
}
