import type { Runnable } from '@agentkit/core'
import { object, optional } from 'valibot'
import { nullable, objectOf } from '../answer/answer-schemas.ts'
import { agentFiles } from '../files/agent-files.ts'
import { anyCallerOf, mayDecide } from '../request/caller.ts'
import { idField } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import type { ServerContext } from '../util/server-env.ts'

const text = { type: 'string' }
const flag = { type: 'boolean' }
const texts = { type: 'array', items: text }
const named = { id: text, name: text, description: nullable(text) }
const numbers = { type: 'object', additionalProperties: nullable({ type: 'number' }) }
const info = objectOf(
  { auth: flag, name: text },
  {
    ...named,
    version: nullable(text),
    sample_prompts: texts,
    members: { type: 'array', items: objectOf(named) },
    tools: { type: 'array', items: objectOf({ name: text, description: text }) },
    speaker: text,
    budget: { anyOf: [numbers, { type: 'null' }] },
    accepts: objectOf({ images: flag, files: texts }),
    limits: numbers,
    dialects: texts,
    user_id: nullable(text),
    caller: objectOf({ any_user: flag, approve: flag, upload: flag, resume: flag }),
  },
)

/**
 * Describes the agent to clients, without its instruction. A caller without a token receives only the information that a token is needed.
 */
export function infoRoute(parts: RouteParts): Route {
  const { agent, limits, rules } = parts
  return defineRoute({
    method: 'GET',
    path: '/api/v1/info',
    tag: 'about',
    summary: 'Describes the agent and the limits of the server',
    description: 'Where the server needs a token and the request has none, the answer is `{ auth: true, name }`.',
    query: object({ user_id: optional(idField) }),
    answers: { 200: { description: 'The agent', content: { 'application/json': info } } },
    handle(context, { query }) {
      if (rules.hasAuth && context.get('principal') === undefined) return context.json({ auth: true, name: agent.name })
      return context.json({
        ...describe(agent),
        limits: snakeKeys(limits),
        dialects: [...rules.dialects],
        auth: rules.hasAuth,
        user_id: anyCallerOf(context, query.user_id) ?? null,
        caller: callerRights(context, parts),
      })
    },
  })
}

/** The rights of the caller, so that a client does not have to find them out by requests. */
function callerRights(context: ServerContext, { agent, rules }: RouteParts): Record<string, boolean> {
  const principal = context.get('principal')
  const isAnyUser = principal === undefined || principal === '*'
  const keepsRuns = agent.sessions.runs !== undefined
  return {
    any_user: isAnyUser,
    approve: keepsRuns && mayDecide(context, rules),
    upload: agentFiles(agent) !== undefined && (isAnyUser || rules.perUserFiles),
    resume: keepsRuns,
  }
}

function describe(agent: Runnable) {
  const { budget = {} } = agent
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description ?? null,
    version: agent.version ?? null,
    sample_prompts: agent.samplePrompts,
    members: (agent.members ?? []).map(({ id, name, description = null }) => ({ id, name, description })),
    tools: (agent.tools ?? []).map(({ name, description }) => ({ name, description })),
    ...(agent.speaker !== undefined && { speaker: agent.speaker }),
    budget: Object.keys(budget).length > 0 ? snakeKeys(budget) : null,
    accepts: { images: agent.acceptsImages ?? false, files: agent.knowledge?.exts ?? [] },
  }
}

/** The same values by names such as `queued_runs`; values without a limit are null. */
function snakeKeys(values: object): Record<string, number | null> {
  const entries = Object.entries<number | undefined>({ ...values })
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value ?? null]),
  )
}
