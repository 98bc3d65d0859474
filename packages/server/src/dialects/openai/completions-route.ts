import { isRecord } from '@agentkit/core/internal'
import { nullable } from '../../answer/answer-schemas.ts'
import { eventStreamType } from '../../answer/event-response.ts'
import { invalid, missing } from '../../answer/field-problems.ts'
import { type Answering, boundRun } from '../../chat/run-chat.ts'
import type { RouteParts } from '../../request/parts.ts'
import { withJSON } from '../../request/read-json.ts'
import { defineRoute, type Route } from '../../request/route.ts'
import { AnswerReader } from '../common/answer-reader.ts'
import { openaiCaller, placeHeaders, readCommonFields, sessionOf } from './common-fields.ts'
import { type CompletionOptions, completionBody, completionsEncoder } from './completions-encoder.ts'
import { readConversation } from './conversation.ts'
import { wholeAnswer } from './whole-answer.ts'

const text = { type: 'string' }
const message = {
  type: 'object',
  properties: {
    role: { enum: ['user', 'assistant', 'system', 'developer', 'tool'] },
    content: { anyOf: [text, { type: 'array', items: { type: 'object' } }, { type: 'null' }] },
  },
  required: ['role'],
}

/** OpenAI's Chat Completions, without a session or in the session of `X-Session-Id`. */
export function completionsRoute(parts: RouteParts): Route {
  const { agent } = parts
  return defineRoute({
    method: 'POST',
    path: '/v1/chat/completions',
    tag: 'dialects',
    summary: 'Answers a request of Chat Completions of OpenAI',
    description: 'The model is the id of the agent. The header `X-Session-Id` names a session that it continues.',
    headers: placeHeaders,
    otherBody: {
      'application/json': {
        type: 'object',
        properties: {
          model: text,
          messages: { type: 'array', items: message, minItems: 1 },
          stream: nullable({ type: 'boolean' }),
        },
        required: ['model', 'messages'],
      },
    },
    answers: {
      200: {
        description: 'The completion',
        content: { 'application/json': { type: 'object' }, [eventStreamType]: text },
      },
    },
    async handle(context) {
      return withJSON(context, parts, async (sent, handOver) => {
        const { model, metadata, namedUser, isStream, fields } = readCommonFields(sent, agent)
        const { messages } = fields
        if (messages === undefined) throw missing('messages')
        if (!Array.isArray(messages)) throw invalid(['messages'], 'must be a list')
        const conversation = readConversation(messages, ['messages'])
        const sessionId = sessionOf(context)
        const userId = openaiCaller(context, namedUser)
        const request = { ...conversation, userId, ...(sessionId !== undefined && { sessionId }) }
        const { speaker } = agent
        const options = { model, metadata, speaker, created: Math.floor(Date.now() / 1_000) }
        const answer = isStream ? streamed(options, fields.stream_options) : whole(options)
        return await boundRun({ request, context, parts, answer, release: handOver() })
      })
    },
  })
}

function streamed(options: CompletionOptions, sent: unknown): Answering {
  const includeUsage = isRecord(sent) && sent.include_usage === true
  return { type: eventStreamType, encode: completionsEncoder({ ...options, includeUsage }) }
}

function whole(options: CompletionOptions): Answering {
  const reader = new AnswerReader({ canDrop: true, speaker: options.speaker })
  return wholeAnswer(reader, () => completionBody(reader, options))
}
