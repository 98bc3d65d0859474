import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema'
import type { describeRoute } from 'hono-openapi'
import type { GenericSchema } from 'valibot'
import type { Route } from '../request/route.ts'

export type RouteDescription = Parameters<typeof describeRoute>[0]

type Described = {
  security: 'none' | 'optional' | 'token'
  /** Content of the answer to a request that failed, where it is no problem (RFC 9457). */
  failure?: Readonly<Record<string, object>> | undefined
}

/** The input and the answers of a route, as an operation of OpenAPI. */
export function routeDescription(route: Route, { security, failure }: Described): RouteDescription {
  const { method, path, tag, summary, description, query, body, otherBody, answers } = route
  const content = { ...(body && { 'application/json': schemaOf(body) }), ...otherBody }
  const hasBody = Object.keys(content).length > 0
  const parameters = [...pathParameters(path), ...(query ? queryParameters(query) : []), ...headerParameters(route)]
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

type Schema = { properties?: Record<string, object>; required?: string[] }

/** A check says in its metadata which JSON Schema it is; others are in the descriptions. */
const overrideAction: NonNullable<ConversionConfig['overrideAction']> = ({ valibotAction, jsonSchema }) => {
  const { metadata } = valibotAction as { metadata?: { jsonSchema?: object } }
  if (!metadata?.jsonSchema) return undefined
  // The library has copied the metadata.
  const { jsonSchema: _, ...converted } = jsonSchema as { jsonSchema?: object }
  return { ...converted, ...metadata.jsonSchema }
}

/** The JSON Schema of what a client sends, before `transform` converts it. */
function schemaOf(schema: GenericSchema): Schema {
  const { $schema: _, ...own } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore', overrideAction })
  return own as Schema // `toJsonSchema` of an object
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

function queryParameters(query: GenericSchema): Parameters_ {
  const { properties = {}, required = [] } = schemaOf(query)
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
