import { loadDotEnv } from '../../config/load-dot-env.ts'
import { printError } from '../common/print.ts'
import { UsageError } from '../common/usage-error.ts'
import { boundedText, codeOf, problemOf, timeoutMs, unusable } from './server-problem.ts'

/** What `/api/v1/info` says of an agent. Only a caller with the right token gets its id. */
export type ServerInfo = {
  id?: string
  name?: string
  auth?: boolean
  user_id?: string
  speaker?: string
  tools?: { name: string; description: string }[]
}

/** The requests to a server, which has one agent. */
export class ServerConnection {
  readonly base: string
  #token: string

  /** @param address of the server */
  constructor(address: URL) {
    this.base = address.href.replace(/\/+$/, '')
    // Variables such as AGENTKIT_TOKEN, as for an agent of this folder.
    const problem = loadDotEnv()
    if (problem !== undefined) printError(`warning: ${problem}`)
    this.#token = checkToken(process.env.AGENTKIT_TOKEN?.trim() ?? '')
  }

  /**
   * @param askToken asks the user for the token, where the server needs one and AGENTKIT_TOKEN has none
   * @throws UsageError when there is no agentkit server at the address
   */
  async signIn(askToken: () => Promise<string>): Promise<ServerInfo> {
    const info = await this.#readInfo()
    if (info.auth !== true || info.id !== undefined) return info
    if (this.#token === '') this.#token = checkToken((await askToken()).trim())
    const own = await this.#readInfo()
    if (own.id === undefined) throw new UsageError(`${this.base} refuses the token. Set AGENTKIT_TOKEN.`)
    return own
  }

  async send(path: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.#token !== '') headers.set('authorization', `Bearer ${this.#token}`)
    // The token goes to no other server.
    const request = fetch(`${this.base}${path}`, { ...init, headers, redirect: 'error' })
    const response = await request.catch((cause: unknown) => {
      if (init.signal.aborted) throw init.signal.reason
      throw new UsageError(`${this.base} does not answer (${codeOf(cause)}). Is the server running?`)
    })
    if (response.ok) return response
    throw await problemOf(response, this.base)
  }

  async read<Body>(path: string): Promise<Body> {
    const response = await this.send(path, { signal: AbortSignal.timeout(timeoutMs) })
    return JSON.parse(await boundedText(response)) as Body // the shapes of http.md
  }

  #readInfo(): Promise<ServerInfo> {
    return this.read<ServerInfo>('/api/v1/info').catch((error: unknown) => {
      throw unusable(error, this.base)
    })
  }
}

function checkToken(token: string): string {
  // `fetch` would refuse it by a sentence about headers, which may have the token.
  if (/^[\x20-\x7e]*$/.test(token)) return token
  throw new UsageError('The token has characters that no token has. Set AGENTKIT_TOKEN.')
}
