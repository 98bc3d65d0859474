import { runAnswer } from '../answer/encode-answer.ts'
import { eventStreamType } from '../answer/event-response.ts'
import { ProblemError } from '../answer/problem.ts'
import { type AnswerFormat, negotiate } from '../request/accept.ts'
import type { ChatRequest } from '../request/chat-request.ts'
import { idempotencyKeyOf, idempotent } from '../request/idempotency.ts'
import type { RouteParts } from '../request/parts.ts'
import { defineRoute, type Route } from '../request/route.ts'
import type { ServerContext } from '../util/server-env.ts'
import { chatAnswers, chatBodies } from './chat-schemas.ts'
import { receiveChat } from './received-chat.ts'
import { type Answering, boundRun, type Chat, durableRun } from './run-chat.ts'

/** The chat routes. A swarm has them under its older names, too. */
export function chatRoutes(parts: RouteParts): Route[] {
  const names = 'agents' in parts.agent ? ['/api/v1/chat', '/swarm/chat'] : ['/api/v1/chat']
  return names.flatMap((path) => [
    chatRoute(parts, path, 'text/plain'),
    chatRoute(parts, `${path}_stream`, eventStreamType),
  ])
}

/** Runs the agent on one message, and answers in the format that the client accepts. */
function chatRoute(parts: RouteParts, path: string, fallback: AnswerFormat): Route {
  const handle = async (context: ServerContext): Promise<Response> => {
    const format = negotiate(context.req.header('accept'), fallback)
    if (!format) throw new ProblemError('not-acceptable')
    return receiveChat(context, parts, async ({ request, store, release }) => {
      const chat: Chat = { request, context, parts, release, answer: answerAs(format, request) }
      const isDurable = request.isResumable || idempotencyKeyOf(context) !== undefined
      if (isDurable) {
        const answer = idempotent(context, parts, request, (begin) => store().then(() => durableRun(chat, begin)))
        return answer.finally(release)
      }
      await store()
      // A stream may begin before its run: what waits in the queue is still in memory.
      return boundRun(chat)
    })
  }
  return defineRoute({
    method: 'POST',
    path,
    tag: 'chat',
    summary: 'Answers the last message of a conversation',
    otherBody: chatBodies,
    answers: chatAnswers,
    handle,
  })
}

function answerAs(format: AnswerFormat, request: ChatRequest): Answering {
  if (format === eventStreamType) return { type: format }
  return { type: format, whole: (result) => runAnswer(result, format, request) }
}
