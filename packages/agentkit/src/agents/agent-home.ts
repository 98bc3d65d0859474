import type { InputPart, Member, UserMessage } from '@agentkit/core'
import type { AgentServer } from '@agentkit/server'
import type { AgentTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { type ServeOptions, serveRunnable } from '../serve/serve-agent.ts'
import { refuseParts } from './shared-options.ts'

/** What an agent and a swarm have around them: a context, that may be their own, and what they say no to. */
export interface AgentHome {
  /**
   * Before each run.
   * @throws AgentKitError `invalid-argument` for an image or a file where `enable_multi_modal` is `false`
   */
  begin(input: string | InputPart[]): void
  /** @throws AgentKitError the same of what a member of a swarm is asked */
  check(content: UserMessage['content']): void
  serve(agent: Member, options: ServeOptions): Promise<AgentServer>
  /** Closes the context, if it is nobody else's. */
  close(): Promise<void>
}

type HomeOptions = { id: string; enableMultiModal: boolean | undefined; ownContext: boolean }

export function agentHome(
  context: SDKContext,
  settings: AgentTable,
  { id, enableMultiModal = settings.enable_multi_modal ?? true, ownContext }: HomeOptions,
): AgentHome {
  const isProduction = (settings.environment ?? process.env.NODE_ENV) === 'production'
  return {
    begin(input) {
      context.warnOfStrayTables()
      if (!enableMultiModal) refuseParts(id, input)
    },
    check(content) {
      if (!enableMultiModal) refuseParts(id, content)
    },
    serve: (agent, options) => serveRunnable(agent, options, context, isProduction),
    async close() {
      if (ownContext) await context.close()
    },
  }
}
