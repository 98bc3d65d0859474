import { createRequire } from 'node:module'
import { AgentKitError, isAgentKitError } from '@agentkit/core'
import {
  Client,
  type DiscoverResult,
  type ElicitRequestParams,
  type ElicitResult,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { ChildTransport } from './child-transport.ts'
import { httpFetch } from './http-fetch.ts'
import { limitProgress } from './limit-progress.ts'
import { limits } from './limits.ts'
import { answerTooLarge, connectError } from './mcp-error.ts'
import type { Server } from './options.ts'

/** The handshake of a server: the one of 2026-07-28, or the earlier one. */
export type Era = 'modern' | 'legacy'

export type Connection = {
  readonly client: Client
  readonly era: Era
  isOpen(): boolean
  /** Why it was closed, where that is known: the SDK fails the requests without it. */
  closedBy(): AgentKitError | undefined
  /** How often the server has reported that its tools have changed. */
  listChanges(): number
  close(): Promise<void>
}

type ElicitHandler = (params: ElicitRequestParams, signal: AbortSignal) => Promise<ElicitResult>

/**
 * Connects to a server.
 *
 * @param era of an earlier connection, so that it need not be found out
 * @throws AgentKitError `network`, `timeout`, `auth`; `invalid-config` for a command that is missing
 */
export async function connect(server: Server, era: Era | undefined, onElicit: ElicitHandler): Promise<Connection> {
  const other = era === undefined ? 'legacy' : undefined
  return open(server, era, onElicit).catch((error: unknown) => {
    // A server that was updated, or that another one has replaced, may speak the other one; and some processes end at a
    // request that they do not know.
    const mayHelp =
      era !== undefined || (server.command !== undefined && isAgentKitError(error) && error.code === 'network')
    if (!mayHelp || (isAgentKitError(error) && error.code === 'invalid-config')) throw error
    return open(server, other, onElicit)
  })
}

async function open(server: Server, era: Era | undefined, onElicit: ElicitHandler): Promise<Connection> {
  const client = new Client(
    { name: 'agentkit', version },
    {
      // Sampling and roots are not declared, so the SDK refuses them.
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation:
        era === 'legacy'
          ? { mode: 'legacy' }
          : // A process that ignores unknown requests still has time for the older handshake. Over HTTP there is none after it.
            {
              mode: 'auto',
              probe: {
                timeoutMs: server.url ? server.timeoutMs : Math.min(server.timeoutMs / 3, 10_000),
                maxRetries: 0,
              },
            },
    },
  )
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => onElicit(params, mcpReq.signal))
  let changes = 0
  client.setNotificationHandler('notifications/tools/list_changed', () => void changes++)
  let isOpen = true
  client.onclose = () => {
    isOpen = false
  }
  let tooLarge: AgentKitError | undefined
  // Requests report the errors of the connection; without a handler the SDK would also print some.
  client.onerror = ({ message }) => {
    if (!message.startsWith('ReadBuffer exceeded')) return
    tooLarge = answerTooLarge()
    // The SDK ends the process, which may take seconds, and sends it nothing more.
    isOpen = false
  }
  const transport = transportOf(server)
  limitProgress(transport)
  const close = async (): Promise<void> => {
    isOpen = false
    await client.close().catch(() => {})
    await transport.close().catch(() => {})
  }
  try {
    const prior = era === 'modern' ? { prior: { kind: 'modern' as const, discover: knownModern } } : {}
    await within(server, client.connect(transport, { timeout: server.timeoutMs, ...prior }))
    // A known era needs no request: the first request shows whether it still holds.
    if (era === 'modern') await within(server, client.discover({ timeout: server.timeoutMs }))
  } catch (error) {
    await close()
    throw connectError(error, server)
  }
  const spoken = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy'
  return { client, era: spoken, isOpen: () => isOpen, closedBy: () => tooLarge, listChanges: () => changes, close }
}

function transportOf(server: Server): Transport {
  const { url, command = '', args = [], env, cwd, headers, authProvider } = server
  if (url) {
    return new StreamableHTTPClientTransport(url, {
      fetch: httpFetch,
      ...(authProvider && { authProvider }),
      ...(headers && { requestInit: { headers: { ...headers } } }),
      reconnectionOptions: {
        initialReconnectionDelay: 500,
        maxReconnectionDelay: 5000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 1,
      },
      reconnectionScheduler(reconnect, delay) {
        const timer = setTimeout(reconnect, delay).unref()
        return () => clearTimeout(timer)
      },
    })
  }
  return new ChildTransport({
    ...{ command, args: [...args], stderr: 'ignore', maxBufferSize: limits.answerBytes },
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
  })
}

/** The SDK has a timeout for each of its requests, of which connecting may need several. */
async function within<Value>({ name, timeoutMs }: Server, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `The MCP server "${name}" did not answer within ${timeoutMs} ms.`
    timer = setTimeout(() => reject(new AgentKitError('timeout', message, { retryable: true })), timeoutMs)
  })
  work.catch(() => {})
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const knownModern: DiscoverResult = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
}

// The build puts the version in here: a bundle has no package.json beside it.
const { version }: { version: string } = createRequire(import.meta.url)('@agentkit/mcp/package.json')
