import { checkAddress } from '@agentkit/wire'

/** The address of a server, with the user and password of its address as a header. */
export type ServerAddress = { host: string; authorization?: string; secrets: string[] }

const usualPort = '11434'

/**
 * Reads an address in the form of the `ollama` command: with or without scheme and port, or the address that a server
 * listens on. A scheme without a port means the scheme's own port.
 *
 * @param name of the address in errors
 * @throws AgentKitError `invalid-config` for an invalid address
 */
export function serverAddress(address: string, name: string): ServerAddress {
  const bare = address.trim().replace(/^(["'])(.*)\1$/, '$2')
  const given = URL.parse(withScheme(bare))
  // `fetch` refuses a user and password in an address: they become a header.
  const { username = '', password = '' } = given ?? {}
  if (given) given.username = given.password = ''
  const url = checkAddress(given?.href ?? bare, name, `http://127.0.0.1:${usualPort}`, 'ollama')
  const { protocol, pathname } = url
  // A server listens on all addresses by these; as a target they do not work everywhere.
  const hostname = url.hostname === '0.0.0.0' ? '127.0.0.1' : url.hostname === '[::]' ? '[::1]' : url.hostname
  const port = url.port || (/^https?:\/\//i.test(bare) || protocol === 'https:' ? '' : usualPort)
  const host = `${protocol}//${hostname}${port && `:${port}`}${pathname.replace(/\/+$/, '').replace(/\/api$/, '')}`
  if (username === '' && password === '') return { host, secrets: [] }
  const secret = decoded(password)
  const token = Buffer.from(`${decoded(username)}:${secret}`).toString('base64')
  return { host, authorization: `Basic ${token}`, secrets: [token, secret].filter(Boolean) }
}

/** A password such as `100%` was not encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function withScheme(address: string): string {
  if (address.includes('://')) return address
  if (address === 'ollama.com') return 'https://ollama.com'
  if (address.startsWith(':')) return /^:\d/.test(address) ? `http://127.0.0.1${address}` : `http://[${address}]`
  // A bare address of IPv6 has several colons, and no port.
  return /^[\da-f]*:[\da-f]*:[\da-f:.]*$/i.test(address) ? `http://[${address}]` : `http://${address}`
}
