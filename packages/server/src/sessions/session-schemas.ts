// What the routes of sessions answer, for `/openapi.json`.

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }

const messageFields = { message: text, role: { enum: ['user', 'assistant'] }, timestamp: time }

export const historySchema: object = {
  type: 'array',
  items: {
    type: 'object',
    properties: { user_id: text, session_id: text, ...messageFields },
    required: ['user_id', 'session_id', ...Object.keys(messageFields)],
  },
}

export const chatsSchema: object = {
  type: 'object',
  additionalProperties: {
    type: 'array',
    items: { type: 'object', properties: messageFields, required: Object.keys(messageFields) },
  },
}

const sessionFields = {
  session_id: text,
  title: text,
  created_at: time,
  updated_at: time,
  turns: { type: 'integer' },
  active_run_id: { type: ['string', 'null'] },
}

export const sessionSchema: object = {
  type: 'object',
  properties: sessionFields,
  required: Object.keys(sessionFields),
}

export const sessionsSchema: object = {
  type: 'object',
  properties: { sessions: { type: 'array', items: sessionSchema }, next: { type: ['string', 'null'] } },
  required: ['sessions', 'next'],
}
