// The answers of the routes of sessions, for `/openapi.json`.
import { jsonOf, nullable, objectOf } from '../answer/answer-schemas.ts'

type Content = Readonly<Record<string, object>>

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }

const messageFields = { message: text, role: { enum: ['user', 'assistant'] }, timestamp: time }

export const historyContent: Content = {
  'application/json': { type: 'array', items: objectOf({ user_id: text, session_id: text, ...messageFields }) },
}

export const chatsContent: Content = {
  'application/json': { type: 'object', additionalProperties: { type: 'array', items: objectOf(messageFields) } },
}

const sessionFields = {
  session_id: text,
  title: text,
  created_at: time,
  updated_at: time,
  turns: { type: 'integer' },
  active_run_id: nullable(text),
}

export const sessionContent: Content = jsonOf(sessionFields)

export const sessionsContent: Content = jsonOf({
  sessions: { type: 'array', items: objectOf(sessionFields) },
  next: nullable(text),
})
