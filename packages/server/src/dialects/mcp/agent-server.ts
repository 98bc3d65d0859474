import type { Server } from '@modelcontextprotocol/server'
import { handlerProblem } from '../../answer/problem.ts'
import { agentFiles } from '../../files/agent-files.ts'
import { tracerOf } from '../../util/tracer-of.ts'
import { askAgent, askTool } from './ask-agent.ts'
import { mcpSDK } from './load-mcp.ts'
import { errorData, rpcCode } from './mcp-error.ts'
import type { MCPHost } from './mcp-host.ts'
import { paramsError } from './params-error.ts'

/** A run may ask its user this often; its steps are bounded too. */
const maxRounds = 100

type Handler = Parameters<Server['_wrapHandler']>[1]
type Info = ConstructorParameters<typeof Server>[0]
type Options = ConstructorParameters<typeof Server>[1]

/** An agent as a server of the SDK, for one connection, or for one request over HTTP. */
export function agentServer(host: MCPHost): Server {
  const { id, name, version = '1.0.0' } = host.agent
  const hasFiles = agentFiles(host.agent) !== undefined
  AgentServer ??= makeAgentServer()
  // The SDK's other class checks arguments by a schema of a library, and has no pages.
  const server = new AgentServer(
    { name: id, title: name, version },
    { capabilities: { tools: {}, ...(hasFiles && { resources: {} }) }, inputRequired: { maxRounds } },
    host.settled,
  )
  server.setRequestHandler('tools/list', () => ({ tools: [askTool(host)] }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    reported(host, () => {
      const envelope: Readonly<Record<string, unknown>> | undefined = context.mcpReq.envelope
      const capabilities = envelope ? envelope[mcpSDK().CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()
      return inTraceOf(context.mcpReq._meta, host, () => askAgent(host, { params, context, capabilities }))
    }),
  )
  if (hasFiles) serveFiles(server, host)
  return server
}

let AgentServer: ReturnType<typeof makeAgentServer> | undefined

/** Made once the SDK is imported, and kept. Closing such a server ends its runs, and waits for them. */
function makeAgentServer() {
  return class extends mcpSDK().Server {
    readonly #settled: MCPHost['settled']

    constructor(info: Info, options: Options, settled: MCPHost['settled']) {
      super(info, options)
      this.#settled = settled
    }

    /** The SDK would answer params that do not fit with the words of its schema library, and as a failure of the server. */
    protected override _wrapHandler(method: string, handler: Handler): Handler {
      const handle = super._wrapHandler(method, handler)
      return (request, context) =>
        handle(request, context).catch((error: unknown) => {
          throw paramsError(error) ?? error
        })
    }

    override async close(): Promise<void> {
      await super.close()
      await this.#settled?.()
    }
  }
}

/**
 * Runs that the call starts belong to the trace of the client's span, over stdio and over HTTP.
 *
 * Source: https://modelcontextprotocol.io/community/seps/414-request-meta
 */
function inTraceOf<Result>(
  meta: Readonly<Record<string, unknown>> = {},
  { agent }: MCPHost,
  work: () => Result,
): Result {
  const header = (name: string): string | undefined => {
    const value = Object.hasOwn(meta, name) ? meta[name] : undefined
    return typeof value === 'string' ? value : undefined
  }
  const traces = tracerOf(agent)
  return traces ? traces.continueTrace(header, work, { overrides: true }) : work()
}

function serveFiles(server: Server, host: MCPHost): void {
  // Imported by the calls: `createApp` also runs where there is no `node:fs`.
  const resources = () => import('./resources.ts')
  server.setRequestHandler('resources/list', ({ params }) =>
    reported(host, async () => (await resources()).listResources(host, params?.cursor)),
  )
  server.setRequestHandler('resources/read', ({ params }) =>
    reported(host, async () => (await resources()).readResource(host, params.uri)),
  )
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
}

/** Answers what fails by an error of the protocol, in our own sentence. */
async function reported<Result>(host: MCPHost, handle: () => Promise<Result>): Promise<Result> {
  const { ProtocolError } = mcpSDK()
  try {
    return await handle()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const problem = handlerProblem(error)
    host.onProblem(problem)
    throw new ProtocolError(rpcCode(problem), problem.detail, errorData(problem))
  }
}
