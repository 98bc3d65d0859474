import type { Runnable } from '@agentkit/core'
import { checkSeparate } from '@agentkit/core/internal'
import { loadAnswer } from './dialects/mcp/mcp-route.ts'
import type { AgentServer, StartWork } from './listen.ts'
import { checkOptions, type ServerOptions } from './options.ts'
import { checkAgent } from './request/check-agent.ts'

/**
 * Serves an agent over HTTP. It does not handle signals of the process; `handleSignals` does.
 *
 * @param agent an Agent or a Swarm
 * @param options.host address to bind; default `127.0.0.1`
 * @param options.port default 8000; 0 takes a free one
 * @param work starts a worker within the places of the server, which ends with the server. @internal
 * @throws AgentKitError `invalid-argument` for a value that is not an agent
 * @throws AgentKitError `invalid-config` for unsafe or impossible options and for an address in use, with the fix
 * @throws AgentKitError `missing-package` for the dialect `mcp` without `@modelcontextprotocol/server`
 * @example
 * const server = await serve(agent, { port: 0 })
 * const form = new FormData()
 * form.set('user_id', 'ada')
 * form.set('session_id', 'first')
 * form.set('chat_data', JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }))
 * const response = await fetch(`${server.url}/api/v1/chat`, { method: 'POST', body: form })
 * await server.close()
 */
export async function serve(agent: Runnable, options?: ServerOptions, work?: StartWork): Promise<AgentServer> {
  const settings = checkOptions(options)
  checkAgent(agent, 'serve(agent)')
  checkSeparate(agent, options?.perUserFiles)
  // Loaded before the server listens, to report a package that is not installed.
  if (settings.rules.dialects.has('mcp')) await loadAnswer()
  // Imported by the call: `createApp` also runs where there is no `node:http`, and starts faster without it.
  const { listen } = await import('./listen.ts')
  return listen(agent, settings, work)
}
