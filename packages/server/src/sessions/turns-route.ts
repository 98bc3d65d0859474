import type { RunStore, SessionKey, SessionStore, Turn } from '@agentkit/core'
import { firstChars, plainText } from '@agentkit/core/internal'
import { object, optional } from 'valibot'
import { jsonOf, nullable, objectOf, runFields } from '../answer/answer-schemas.ts'
import { storedRunBody } from '../answer/encode-answer.ts'
import { loggedRequest, logProblem } from '../answer/log-problem.ts'
import { handlerProblem } from '../answer/problem.ts'
import { callerOf } from '../request/caller.ts'
import { countField, idField, isId } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { isDamage } from './is-damage.ts'

const maxTurns = 200
/** Turns in memory at once: each may hold many large results of tools. */
const pageTurns = 10
/** The longest question that is shown, in UTF-16 code units. */
const maxQuestion = 256 * 1024

const text = { type: 'string' }
const { agent_id: _agent, user_id: _user, session_id: _session, attempts: _attempts, ...turnFields } = runFields

/** The turns of a conversation with their runs, for clients that show it, continue a run or replace one. */
export function turnsRoute({ agent, log }: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/sessions/:session_id/turns',
    tag: 'sessions',
    summary: 'Shows the questions of a conversation with their runs',
    description:
      'The last `limit` turns, oldest first, without those that were replaced; failed turns included. `models` are those ' +
      'that the agent itself has called. `before` takes ' +
      '`previous` of a page, which is null on the first turns. An unknown conversation has none.',
    query: object({
      user_id: optional(idField),
      limit: optional(countField(1, maxTurns), '50'),
      before: optional(idField),
    }),
    answers: {
      200: {
        description: 'The turns',
        content: jsonOf({
          turns: {
            type: 'array',
            items: objectOf({
              ...turnFields,
              question: text,
              answer: nullable(text),
              models: { type: 'array', items: text },
              events: { type: 'boolean' },
            }),
          },
          previous: nullable(text),
        }),
      },
    },
    async handle(context, { query: { user_id, limit, before }, param }) {
      const userId = callerOf(context, user_id)
      const sessionId = param('session_id')
      if (!isId(sessionId)) return context.json({ turns: [], previous: null })
      const key = { agentId: agent.id, userId, sessionId }
      const found = await lastTurns(agent.sessions, key, { limit: limit + 1, before })
      const turns = found.slice(-limit)
      const previous = found.length > limit ? turns[0]?.run_id : undefined
      for (const turn of turns) {
        await addRun(agent.sessions.runs, turn).catch((error) => {
          // A damaged run shows what its messages say.
          if (!isDamage(error)) throw error
          logProblem(handlerProblem(error), loggedRequest(context), log)
        })
      }
      return context.json({ turns, previous: previous ?? null })
    },
  })
}

type TurnBody = { run_id: string; question: string; answer: string | null; [field: string]: unknown }

type Page = { limit: number; before: string | undefined }

/**
 * The last turns before one, oldest first. Stores list turns from an earlier one on: it is looked for among the last runs,
 * which are read without their messages, and further back where too few turns follow it.
 */
async function lastTurns(store: SessionStore, key: SessionKey, page: Page): Promise<TurnBody[]> {
  for (let back = page.limit + 1; ; back *= 4) {
    const from = await runBefore(store, key, page.before, back)
    const last = await turnsAfter(store, key, from, page)
    if (from === undefined || last?.length === page.limit) return last ?? []
  }
}

/** The run that was accepted so many runs before one, or before the end. `undefined` where there are fewer, or no stored runs. */
async function runBefore(
  { runs }: SessionStore,
  key: SessionKey,
  after: string | undefined,
  back: number,
): Promise<string | undefined> {
  const filter = { sessionId: key.sessionId, limit: back, ...(after !== undefined && { after }) }
  const found = (await runs?.list(key, filter)) ?? []
  return found.length < back ? undefined : found.at(-1)?.runId
}

/** @returns the last turns between two runs; `undefined` where `before` is not after the first of them */
async function turnsAfter(
  store: SessionStore,
  key: SessionKey,
  from: string | undefined,
  { limit, before }: Page,
): Promise<TurnBody[] | undefined> {
  const last: TurnBody[] = []
  for (let after = from; ; ) {
    const page = await store.turns(key, { limit: pageTurns, ...(after !== undefined && { after }) })
    for (const turn of page) {
      if (turn.runId === before) return last
      if (turn.status === 'replaced') continue
      last.push(turnBody(turn))
      if (last.length > limit) last.shift()
    }
    after = page.at(-1)?.runId
    // An unknown `before` has none before it, as in other lists.
    if (after === undefined || page.length < pageTurns) return before === undefined ? last : undefined
  }
}

/** A turn as far as its messages show it, for stores that keep nothing else of a run. */
function turnBody({ runId, messages, status, createdAt }: Turn): TurnBody {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const answer = messages.slice(asked + 1).flatMap((message) => {
    const said = message.role === 'assistant' ? plainText(message) : ''
    return said === '' ? [] : [said]
  })
  const question = messages[asked]
  const models = messages.slice(asked + 1).flatMap((message) => ('model' in message && message.model) || [])
  return {
    run_id: runId,
    status,
    question: question ? firstChars(plainText(question), maxQuestion) : '',
    answer: status === 'running' || answer.length === 0 ? null : answer.join('\n\n'),
    finish_reason: null,
    error: null,
    approvals: [],
    usage: null,
    cost: null,
    sources: [],
    models: [...new Set(models)],
    created_at: createdAt,
    started_at: createdAt,
    ended_at: null,
    events: false,
  }
}

async function addRun(runs: RunStore | undefined, turn: TurnBody): Promise<void> {
  const stored = await runs?.read(turn.run_id)
  if (!stored) return
  const { agent_id: _, user_id: __, session_id: ___, attempts: ____, answer, ...run } = storedRunBody(stored)
  Object.assign(turn, run, { answer: turn.answer ?? (answer || null), events: stored.keepsEvents })
}
