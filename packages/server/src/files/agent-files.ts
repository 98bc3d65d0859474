import type { Knowledge, Runnable } from '@agentkit/core'
import { knowledgeOf, userFolder } from '@agentkit/core/internal'
import { ProblemError } from '../answer/problem.ts'
import { anyCallerOf, callerOf } from '../request/caller.ts'
import type { RouteParts } from '../request/parts.ts'
import type { ServerContext } from '../util/server-env.ts'

/** The files of an agent: a folder, and the knowledge that makes them searchable. */
export type AgentFiles = {
  folder: string
  knowledge: Knowledge
  /** Members of a swarm may have an index each. */
  all: readonly Knowledge[]
}

/** The part of an agent's files that a request may see. */
export type Scope = {
  folder: string
  /** In front of the names of its files in the knowledge: empty, or the user's folder and `/`. */
  prefix: string
}

/**
 * The files of an agent. A swarm without files of its own has the files of its members, if all have the same.
 * @returns undefined when it has none, or when its members have different ones
 */
export function agentFiles(agent: Runnable): AgentFiles | undefined {
  const all = agent.knowledge ? [agent.knowledge] : knowledgeOf(agent)
  const [first] = all
  if (first?.folder === undefined) return undefined
  const { folder } = first
  return all.every((one) => one.folder === folder) ? { folder, knowledge: first, all } : undefined
}

/**
 * The files that a request may see.
 *
 * @param userId the `user_id` of the request
 * @param changes whether it changes them: files that users share, with auth only by a token for any user
 * @throws ProblemError `missing-field`, or `not-found`
 */
export function scopeOf(
  context: ServerContext,
  { folder }: AgentFiles,
  { rules }: RouteParts,
  { userId, changes }: { userId: string | undefined; changes: boolean },
): Scope {
  if (rules.perUserFiles) {
    const name = userFolder(callerOf(context, userId))
    return { folder: `${folder}/${name}`, prefix: `${name}/` }
  }
  anyCallerOf(context, userId)
  if (changes) checkMayChange(context, rules)
  return { folder, prefix: '' }
}

/** @throws ProblemError `not-found` for a token that may not change files at all */
export function checkMayChange(context: ServerContext, { perUserFiles }: RouteParts['rules']): void {
  const principal = context.get('principal')
  if (!perUserFiles && principal !== undefined && principal !== '*') throw new ProblemError('not-found')
}

/** The answer of an agent without files. */
export function noFiles(): ProblemError {
  return new ProblemError('not-found', {
    detail:
      'This agent has no files. Create it with `retrieve: true` to give it some; a swarm whose members have different ' +
      'folders needs files of its own.',
  })
}
