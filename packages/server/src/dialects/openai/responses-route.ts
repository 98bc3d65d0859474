import { nullable } from '../../answer/answer-schemas.ts'
import { eventResponse, eventStreamType } from '../../answer/event-response.ts'
import { followedEvents } from '../../answer/followed-events.ts'
import { asSpent } from '../../capacity/capacity.ts'
import { enqueueRun, requireBackground } from '../../chat/enqueue-run.ts'
import { type Answering, boundRun, type ChatMessage } from '../../chat/run-chat.ts'
import type { RouteParts } from '../../request/parts.ts'
import { withJSON } from '../../request/read-json.ts'
import { defineRoute, type Route } from '../../request/route.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { openaiCaller, placeHeaders, readCommonFields, sessionOf } from './common-fields.ts'
import { decideResponse } from './decide-response.ts'
import { findResponse } from './find-response.ts'
import { withReferences } from './item-references.ts'
import { type ResponseHead, responseBody, responseId } from './response-body.ts'
import { placeOf } from './response-place.ts'
import { ResponseReader } from './response-reader.ts'
import { type ResponseRequest, readResponseRequest } from './response-request.ts'
import { endedState, responsesEncoder } from './responses-encoder.ts'
import { storedResponse } from './stored-response.ts'
import { wholeAnswer } from './whole-answer.ts'

const text = { type: 'string' }
const flag = nullable({ type: 'boolean' })

/** OpenAI's Responses: answers in sessions, that are read, continued and cancelled later. */
export function responsesRoute(parts: RouteParts): Route {
  const { agent } = parts
  return defineRoute({
    method: 'POST',
    path: '/v1/responses',
    tag: 'dialects',
    summary: 'Answers a request of Responses of OpenAI',
    description: 'The model is the id of the agent. `previous_response_id` continues the session of an earlier answer.',
    headers: placeHeaders,
    otherBody: {
      'application/json': {
        type: 'object',
        properties: {
          model: text,
          input: { anyOf: [text, { type: 'array', items: { type: 'object' }, minItems: 1 }] },
          ...{ stream: flag, store: flag, background: flag },
          ...{ previous_response_id: nullable(text), instructions: nullable(text) },
        },
        required: ['model', 'input'],
      },
    },
    answers: {
      200: {
        description: 'The response',
        content: { 'application/json': { type: 'object' }, [eventStreamType]: text },
      },
    },
    async handle(context) {
      return withJSON(context, parts, async (sent, handOver) => {
        const caller = (): string => openaiCaller(context, readCommonFields(sent, agent).namedUser)
        const request = readResponseRequest(await withReferences(parts, sent, caller), agent)
        const userId = openaiCaller(context, request.namedUser)
        if (request.kind === 'decisions') {
          return await decideResponse(context, parts, { ...request, userId, head: headOf(request) })
        }
        return await answer(context, parts, { request, userId, handOver })
      })
    },
  })
}

type Asked = {
  request: Extract<ResponseRequest, { kind: 'question' }>
  userId: string
  handOver(): () => void
}

async function answer(
  context: ServerContext,
  parts: RouteParts,
  { request, userId, handOver }: Asked,
): Promise<Response> {
  const { previousId, isStored, isBackground, isStream, question } = request
  const { sessionId, history } = await placeOf(parts, {
    ...{ userId, previousId, isStored, isBackground },
    sessionId: sessionOf(context),
  })
  const head = headOf(request)
  const message: ChatMessage = {
    ...{ question, userId, history: history ?? request.history },
    ...(sessionId !== undefined && { sessionId }),
    // The stored response has the same.
    clientData: { created: head.created, metadata: request.metadata },
  }
  if (isBackground) return inBackground(context, parts, { message, head, isStream })
  const reader = new ResponseReader(parts.agent.id, parts.agent.speaker)
  const answering = isStream
    ? streamed(head, reader)
    : wholeAnswer(reader, () => responseBody(head, endedState(reader)))
  return boundRun({ request: message, context, parts, answer: answering, release: handOver() })
}

function headOf({ model, metadata, instructions, previousId, isStored, isBackground }: ResponseRequest): ResponseHead {
  const created = Math.floor(Date.now() / 1_000)
  return { model, created, metadata, instructions, previousId: previousId ?? null, isStored, isBackground }
}

function streamed(head: ResponseHead, reader: ResponseReader): Answering {
  return { type: eventStreamType, encode: responsesEncoder({ head, reader }) }
}

async function inBackground(
  context: ServerContext,
  parts: RouteParts,
  { message, head, isStream }: { message: ChatMessage; head: ResponseHead; isStream: boolean },
): Promise<Response> {
  requireBackground(parts)
  const { agent, capacity } = parts
  await capacity.checkBudget(message.userId).catch(asSpent)
  const runId = await enqueueRun(parts, message, { requestId: context.get('requestId') })
  context.set('runId', runId)
  if (isStream) {
    const encode = responsesEncoder({ head, reader: new ResponseReader(agent.id, agent.speaker) })
    const followed = { runId, after: 0, last: 0, draining: capacity.draining, encode }
    return eventResponse(followedEvents({ sessions: agent.sessions, ...followed }), context, parts)
  }
  const found = await findResponse(parts, responseId(runId), { userId: message.userId, param: 'id' })
  return Response.json(await storedResponse(parts, found, head))
}
