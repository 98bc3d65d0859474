import { answerContent } from '../answer/answer-schemas.ts'
import { idSchema, sessionIdSchema } from '../request/fields.ts'
import type { Route } from '../request/route.ts'

const text = { type: 'string' }
const common = { user_id: idSchema, session_id: sessionIdSchema, replaces: idSchema }

const form = {
  type: 'object',
  properties: {
    ...common,
    chat_data: text,
    resumable: { enum: ['true', 'false'] },
    files: { type: 'array', items: { type: 'string', format: 'binary' } },
  },
  required: ['session_id', 'chat_data'],
}

const message = {
  type: 'object',
  properties: { role: { enum: ['user', 'assistant'] }, content: text },
  required: ['role', 'content'],
}

const json = {
  type: 'object',
  properties: { ...common, messages: { type: 'array', items: message, minItems: 1 }, resumable: { type: 'boolean' } },
  required: ['session_id', 'messages'],
  additionalProperties: false,
}

/** The bodies of a chat, for the documentation. */
export const chatBodies: Readonly<Record<string, object>> = { 'multipart/form-data': form, 'application/json': json }

const answer = { 'text/plain': text, ...answerContent, 'text/event-stream': text }

/** The answers of a chat, for the documentation. */
export const chatAnswers: Route['answers'] = {
  200: {
    description: 'The answer, in the format that `Accept` asks for',
    content: answer,
    headers: { 'X-Run-Id': 'The id of the run' },
  },
}
