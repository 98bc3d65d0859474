import type { Member, SessionStore, UserMessage } from '@agentkit/core'
import { type AgentHost, createDailyUsage, invalidArgument, type WorkerParts } from '@agentkit/core/internal'
import type { AgentServer } from '@agentkit/server'
import type { AgentTable, RetentionTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { configuredTools } from '../mcp/configured-tools.ts'
import { type ServeOptions, serveRunnable } from '../serve/serve-agent.ts'
import { configuredSkills } from '../skills/configured-skills.ts'
import { joinTools } from '../util/join-tools.ts'
import { useTelemetry } from '../util/use-telemetry.ts'
import { configuredWebhook } from '../webhooks/configured-webhook.ts'
import { separateUserFiles } from './user-files.ts'

/** The parts that agents and swarms of this package share: a context, which may be their own, and a server. */
export interface AgentHome extends Required<Omit<AgentHost, 'tools'>>, Pick<AgentHost, 'tools'> {
  serve(agent: Member, options: ServeOptions): Promise<AgentServer>
}

type HomeOptions = {
  id: string
  sessions: SessionStore
  enableMultiModal: boolean | undefined
  /** Whether the configuration says that the model takes no images. */
  isWithoutImages?: boolean
  ownContext: boolean
}

export function agentHome(
  context: SDKContext,
  settings: AgentTable,
  { id, sessions, enableMultiModal, isWithoutImages = false, ownContext }: HomeOptions,
): AgentHome {
  const isProduction = (settings.environment ?? process.env.NODE_ENV) === 'production'
  const tools = joinTools([
    configuredTools(context, settings.mcp, isProduction),
    configuredSkills(context, settings.skills, isProduction),
  ])
  return {
    ...(tools && { tools }),
    begin() {
      context.warnOfStrayTables()
      useTelemetry(context.config.defaults.telemetry)
    },
    // Refuses an image or a file when `enableMultiModal` is `false`, in code or in the configuration.
    check(message) {
      const isAllowed = enableMultiModal ?? settings.enable_multi_modal
      if (isAllowed === false) {
        const option = enableMultiModal === undefined ? 'enable_multi_modal' : 'enableMultiModal'
        refuseParts(id, message, `\`${option}\` is false. Set it to true to allow them.`)
      }
      if (isAllowed === undefined && isWithoutImages) {
        refuseParts(id, message, 'its model has `images = false`. Choose another model, or correct that.')
      }
    },
    notifies: context.config.webhooks.url !== undefined,
    workerParts: () => workerParts(context, id, sessions),
    work: (agent) => separateUserFiles([agent]),
    serve: (agent, options) => serveRunnable(agent, options, context, isProduction),
    // Closes the context, if it belongs to this agent alone.
    async close() {
      if (ownContext) await context.close()
    },
  }
}

/** The settings of the configuration for the runs of an agent's workers. */
function workerParts({ config }: SDKContext, agentId: string, { runs }: SessionStore): WorkerParts {
  const { webhooks, retention, server } = config
  const deliver = configuredWebhook(webhooks)
  const limits = { userDailyUsd: server.max_user_daily_usd, userDailyTokens: server.max_user_daily_tokens }
  const usage = createDailyUsage({ limits, agentId, runs })
  return {
    ...(deliver && { deliver }),
    admit: ({ userId }) => usage.check(userId),
    onSpent: ({ userId }, spent) => usage.add(userId, spent),
    retention: rulesOf(retention),
  }
}

function rulesOf({
  retention_days = 0,
  max_sessions_per_user = 0,
  max_disk_mb = 0,
}: RetentionTable): NonNullable<WorkerParts['retention']> {
  return {
    sessionsMs: retention_days * 24 * 3_600_000,
    sessionsPerUser: max_sessions_per_user,
    maxBytes: max_disk_mb * 1_000_000,
  }
}

function refuseParts(id: string, { content }: UserMessage, why: string): void {
  const refused = Array.isArray(content) ? content.find((part) => part.type !== 'text') : undefined
  if (!refused) return
  throw invalidArgument(`The agent "${id}" takes no ${refused.type}s: ${why}`)
}
