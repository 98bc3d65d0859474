import type { SessionInfo } from '@agentkit/core'
import { object, optional } from 'valibot'
import { jsonStream } from '../answer/json-stream.ts'
import { loggedRequest, logProblem } from '../answer/log-problem.ts'
import { handlerProblem, ProblemError } from '../answer/problem.ts'
import { callerOf } from '../request/caller.ts'
import { countField, idField } from '../request/fields.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { sentPath } from '../util/sent-path.ts'
import type { ServerContext } from '../util/server-env.ts'
import { isDamage } from './is-damage.ts'
import { chatsContent, historyContent } from './session-schemas.ts'
import { shownMessages } from './shown-messages.ts'

/** The messages of conversations. */
export function historyRoutes(parts: RouteParts): Route[] {
  const { agent, log } = parts
  const logTo =
    (context: ServerContext) =>
    (error: unknown): void =>
      logProblem(handlerProblem(error), loggedRequest(context), log)
  const answer = (context: ServerContext, pieces: AsyncGenerator<string, void>, headers = {}): Promise<Response> =>
    jsonStream(pieces, { headers, onFailure: logTo(context) })
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/chat_history',
      tag: 'sessions',
      summary: 'Shows the messages of a conversation, oldest first',
      description:
        'A turn that failed shows what the model sees of it; one that was replaced, or runs, shows nothing. ' +
        '404 when there is nothing to show.',
      query: object({ user_id: optional(idField), session_id: idField }),
      answers: { 200: { description: 'The messages', content: historyContent } },
      handle(context, { query: { user_id, session_id: sessionId } }) {
        const userId = callerOf(context, user_id)
        const messages = shownMessages(agent.sessions, { agentId: agent.id, userId, sessionId })
        return answer(context, historyText(messages, { user_id: userId, session_id: sessionId }))
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/all_chats',
      tag: 'sessions',
      summary: 'Shows the messages of all conversations of a user',
      description:
        'The most recently used conversation first. While there are more, the header `Link` has the address of the ' +
        'next page. Conversations with nothing to show are left out; 404 when there is none.',
      query: object({ user_id: optional(idField), limit: optional(countField(1, 1_000)), after: optional(idField) }),
      answers: {
        200: {
          description: 'The messages by session',
          content: chatsContent,
          headers: { Link: 'The address of the next page, with `rel="next"`, while there are more' },
        },
      },
      async handle(context, { query: { user_id, limit = 100, after } }) {
        const owner = { agentId: agent.id, userId: callerOf(context, user_id) }
        const page = { limit: limit + 1, ...(after !== undefined && { before: after }) }
        const found = await agent.sessions.list(owner, page)
        const sessions = found.slice(0, limit)
        const last = sessions.at(-1)
        const next = found.length > limit && last ? nextPage(context, last) : undefined
        const chats = chatsText(
          sessions.map(({ sessionId }) => ({
            sessionId,
            messages: shownMessages(agent.sessions, { ...owner, sessionId }),
          })),
          { mayBeEmpty: next !== undefined || after !== undefined, onDamage: logTo(context) },
        )
        return answer(context, chats, next && { link: `<${next}>; rel="next"` })
      },
    }),
  ]
}

type Messages = ReturnType<typeof shownMessages>

/** @throws ProblemError `not-found` for a conversation that shows nothing */
async function* historyText(messages: Messages, place: { user_id: string; session_id: string }): Text {
  let separator = '['
  for await (const message of messages) {
    yield separator + JSON.stringify({ ...place, ...message })
    separator = ','
  }
  if (separator === '[') throw new ProblemError('not-found', { detail: 'No chat history found for this user' })
  yield ']'
}

type Text = AsyncGenerator<string, void>
type Chat = { sessionId: string; messages: Messages }

/** The text is made here, because an object would not keep the order of ids such as "2" and "10". */
async function* chatsText(
  chats: readonly Chat[],
  { mayBeEmpty, onDamage }: { mayBeEmpty: boolean; onDamage: (error: unknown) => void },
): Text {
  let before = '{'
  for (const { sessionId, messages } of chats) {
    let separator = `${before}${JSON.stringify(sessionId)}:[`
    let isShown = false
    for await (const message of readable(messages, onDamage)) {
      yield separator + JSON.stringify(message)
      separator = ','
      isShown = true
    }
    if (!isShown) continue
    before = '],'
  }
  if (before === '],') yield ']}'
  else if (mayBeEmpty) yield '{}'
  else throw new ProblemError('not-found', { detail: 'No chats found for this user' })
}

/** The messages before those that cannot be read: a damaged conversation does not hide the others. */
async function* readable(messages: Messages, onDamage: (error: unknown) => void): Messages {
  try {
    yield* messages
  } catch (error) {
    if (!isDamage(error)) throw error
    onDamage(error)
  }
}

/** The address of the same request for what comes after a session. */
function nextPage(context: ServerContext, { sessionId }: SessionInfo): string {
  const { searchParams } = new URL(context.req.url)
  searchParams.set('after', sessionId)
  return `${sentPath(context)}?${searchParams}`
}
