import type { describeRoute } from 'hono-openapi'
import { type ObjectJSONSchema, schemaOf } from '../request/json-schema.ts'
import type { Route } from '../request/route.ts'

export type RouteDescription = Parameters<typeof describeRoute>[0]

type Described = {
  security: 'none' | 'optional' | 'token'
  /** Each request names its user. */
  namesUser: boolean
  /** Content of the answer to a request that failed, where it is no problem (RFC 9457). */
  failure?: Readonly<Record<string, object>> | undefined
}

/** The input and the answers of a route, as an operation of OpenAPI. */
export function routeDescription(route: Route, { security, namesUser, failure }: Described): RouteDescription {
  const { method, path, tag, summary, description, query, body, otherBody, answers } = route
  const withUser = <Part extends ObjectJSONSchema>(schema: Part): Part => (namesUser ? requiringUser(schema) : schema)
  const bodies: Record<string, ObjectJSONSchema> = { ...(body && { 'application/json': schemaOf(body) }), ...otherBody }
  const content = Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, withUser(schema)]))
  const hasBody = Object.keys(content).length > 0
  const parameters = [
    ...pathParameters(path),
    ...(query ? queryParameters(withUser(schemaOf(query))) : []),
    ...headerParameters(route),
  ]
  const responses = Object.entries(answers).map(([status, { description: text, content: types, headers }]) => {
    const parts = { ...(headers && { headers: headersOf(headers) }), ...(types && { content: mediaTypes(types) }) }
    return [status, { description: text, ...parts }]
  })
  const failed = failure
    ? { description: 'The request failed: an error of the protocol', content: mediaTypes(failure) }
    : { $ref: '#/components/responses/Problem' }
  return {
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && { requestBody: { required: method !== 'DELETE', content: mediaTypes(content) } }),
    responses: { ...Object.fromEntries(responses), default: failed },
    ...(security !== 'none' && { security: security === 'token' ? [{ token: [] }] : [{}, { token: [] }] }),
  }
}

function mediaTypes(content: Readonly<Record<string, object>>): Record<string, { schema: object }> {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))
}

function headersOf(headers: Readonly<Record<string, string>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
}

function requiringUser<Part extends ObjectJSONSchema>(schema: Part): Part {
  const { properties = {}, required = [] } = schema
  return 'user_id' in properties ? { ...schema, required: [...new Set([...required, 'user_id'])] } : schema
}

type Parameters_ = NonNullable<RouteDescription['parameters']>

function pathParameters(path: string): Parameters_ {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string' as const },
  }))
}

function queryParameters({ properties = {}, required = [] }: ObjectJSONSchema): Parameters_ {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query' as const,
    required: required.includes(name),
    schema,
  }))
}

const idempotencyKey = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' }

function headerParameters({ method, path, headers = {} }: Route): Parameters_ {
  const takesKey = method === 'POST' && path.startsWith('/api/v1/')
  const all = { ...(takesKey && { 'Idempotency-Key': idempotencyKey }), ...headers }
  return Object.entries<object>(all).map(([name, schema]) => ({ name, in: 'header', required: false, schema }))
}
