import type { Runnable } from '@agentkit/core'
import { isRecord } from '@agentkit/core/internal'
import { invalid, missing, type Path } from '../../answer/field-problems.ts'
import { ProblemError } from '../../answer/problem.ts'
import { isSessionId, sessionIdForm, sessionIdSchema } from '../../request/fields.ts'
import { headerText } from '../../request/header-text.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { dialectCaller, type NamedUser, userHeader } from '../common/dialect-caller.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The fields that requests of both APIs have. */
export type CommonFields = {
  model: string
  isStream: boolean
  /** Sent back as it came. */
  metadata: Readonly<Record<string, string>>
  /** The user that the request names. */
  namedUser: NamedUser | undefined
}

/**
 * Checks the fields that both APIs have. What changes nothing for an agent, such as `temperature`, is ignored; what would
 * promise something else than the agent does is refused.
 *
 * @throws ProblemError that names the field
 */
export function readCommonFields(body: unknown, agent: Runnable): CommonFields & { fields: Fields } {
  if (!isRecord(body)) throw new ProblemError('invalid-field', { detail: 'The body must be an object.' })
  const { model, stream = false, metadata } = body
  if (model === undefined) throw missing('model')
  if (typeof model !== 'string') throw invalid(['model'], 'must be a string')
  if (model !== agent.id) {
    const detail = `This server has one model, "${agent.id}".`
    throw new ProblemError('not-found', { detail, errors: [{ path: ['model'], message: 'does not exist' }] })
  }
  for (const [name, reason] of Object.entries(refusals)) {
    const why = reason(body[name])
    if (body[name] !== undefined && body[name] !== null && why !== undefined) throw unsupported([name], why)
  }
  const { text } = body
  if (isRecord(text) && text.format) {
    const why = textOnly(text.format)
    if (why !== undefined) throw unsupported(['text', 'format'], why)
  }
  if (stream !== null && typeof stream !== 'boolean') throw invalid(['stream'], 'must be true or false')
  const common = { model, isStream: stream === true, metadata: readMetadata(metadata) }
  return { ...common, namedUser: readUser(body), fields: body }
}

function readUser(fields: Fields): NamedUser | undefined {
  for (const field of ['safety_identifier', 'user']) {
    const userId = fields[field] ?? undefined
    if (typeof userId === 'string') return { userId, field }
    if (userId !== undefined) throw invalid([field], 'must be a string')
  }
  return undefined
}

type Refusal = (value: unknown) => string | undefined

const ownTools = 'this model runs its own tools'
const noAudio = 'this model neither hears nor speaks'
const always =
  (why: string): Refusal =>
  () =>
    why
const ifAny: Refusal = (value) => (Array.isArray(value) && value.length === 0 ? undefined : ownTools)
const isPositive = (value: unknown): boolean => value !== false && value !== 0

const refusals: Readonly<Record<string, Refusal>> = {
  n: (value) => (value === 1 ? undefined : 'this model gives one answer'),
  tools: ifAny,
  functions: ifAny,
  logprobs: (value) => (isPositive(value) ? 'this model has no log probabilities' : undefined),
  top_logprobs: (value) => (isPositive(value) ? 'this model has no log probabilities' : undefined),
  audio: always(noAudio),
  modalities: (value) => (Array.isArray(value) && value.every((each) => each === 'text') ? undefined : noAudio),
  response_format: textOnly,
  conversation: always('continue by previous_response_id, or by the header X-Session-Id'),
  prompt: always('the agent has its own instruction'),
}

function textOnly(format: unknown): string | undefined {
  return isRecord(format) && format.type === 'text' ? undefined : 'this model answers as text'
}

const maxMetadata = { keys: 16, keyLength: 64, valueLength: 512 }

function readMetadata(metadata: unknown): Record<string, string> {
  if (metadata === undefined || metadata === null) return {}
  const { keys, keyLength, valueLength } = maxMetadata
  const entries = isRecord(metadata) ? Object.entries(metadata) : undefined
  const holds = entries?.every(
    ([key, value]) => key.length <= keyLength && typeof value === 'string' && value.length <= valueLength,
  )
  if (!entries || !holds || entries.length > keys) {
    const form = `must have at most ${keys} texts of at most ${valueLength} characters`
    throw invalid(['metadata'], form)
  }
  return metadata as Record<string, string> // checked above
}

/** The headers that name user and session, for `/openapi.json`. */
export const placeHeaders: typeof userHeader = { ...userHeader, 'X-Session-Id': sessionIdSchema }

/** The user of a request. A client whose token has a user of its own may send any `user`: it names no other. */
export function openaiCaller(context: ServerContext, namedUser: NamedUser | undefined): string {
  const principal = context.get('principal')
  return dialectCaller(context, principal === undefined || principal === '*' ? namedUser : undefined)
}

/** The session that a request continues, if it names one. */
export function sessionOf(context: ServerContext): string | undefined {
  const sessionId = headerText(context.req.header('x-session-id'))
  if (sessionId === undefined || isSessionId(sessionId)) return sessionId
  throw invalid(['X-Session-Id'], sessionIdForm)
}

export function unsupported(path: Path, reason: string): ProblemError {
  const detail = `The field ${path.join('.')} is not supported with this value: ${reason}.`
  return new ProblemError('unsupported', { detail, errors: [{ path: [...path], message: 'is not supported' }] })
}
