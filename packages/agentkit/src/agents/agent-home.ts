import type { Member, UserMessage } from '@agentkit/core'
import { type AgentHost, invalidArgument } from '@agentkit/core/internal'
import type { AgentServer } from '@agentkit/server'
import type { AgentTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { type ServeOptions, serveRunnable } from '../serve/serve-agent.ts'

/** What agents and swarms of this package share: a context, which may be their own, and a server. */
export interface AgentHome extends Required<AgentHost> {
  serve(agent: Member, options: ServeOptions): Promise<AgentServer>
}

type HomeOptions = { id: string; enableMultiModal: boolean | undefined; ownContext: boolean }

export function agentHome(
  context: SDKContext,
  settings: AgentTable,
  { id, enableMultiModal = settings.enable_multi_modal ?? true, ownContext }: HomeOptions,
): AgentHome {
  const isProduction = (settings.environment ?? process.env.NODE_ENV) === 'production'
  return {
    begin: () => context.warnOfStrayTables(),
    // Refuses an image or a file when `enable_multi_modal` is `false`.
    check(message) {
      if (!enableMultiModal) refuseParts(id, message)
    },
    serve: (agent, options) => serveRunnable(agent, options, context, isProduction),
    // Closes the context, if it belongs to this agent alone.
    async close() {
      if (ownContext) await context.close()
    },
  }
}

function refuseParts(id: string, { content }: UserMessage): void {
  const refused = Array.isArray(content) ? content.find((part) => part.type !== 'text') : undefined
  if (!refused) return
  throw invalidArgument(
    `The agent "${id}" takes no ${refused.type}s: \`enable_multi_modal\` is false. Set it to true to allow them.`,
  )
}
