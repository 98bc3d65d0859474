import type { GenericSchema, InferOutput } from 'valibot'
import type { ServerContext } from '../util/server-env.ts'
import type { Begin } from './idempotency.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The schemas of a route: the source of its validation and of `/openapi.json`. */
export type RouteSchemas<Query extends GenericSchema, Body extends GenericSchema> = {
  method: Method
  /** The path, with `:name` for parameters as in Hono. */
  path: string
  /** The group in the documentation: `chat`, `runs`, `sessions`, `files`, `about`. */
  tag: string
  /** One sentence without a period. */
  summary: string
  /** Longer text for the documentation, in Markdown. */
  description?: string
  /** An object of texts; other parameters are ignored. */
  query?: Query
  /** Headers that the route reads itself, with their JSON Schemas. */
  headers?: Readonly<Record<string, object>>
  /** A JSON body. A route with another body reads it itself, and describes it by `otherBody`. */
  body?: Body
  /**
   * The content of a body that is not JSON, or not only: media type → JSON Schema. A POST that reads its body itself calls
   * `idempotent`; for the others the app does.
   */
  otherBody?: Readonly<Record<string, object>>
  /** Answers by status. Problems are added to all routes. */
  answers: Readonly<Record<number, DescribedAnswer>>
}

type DescribedAnswer = {
  description: string
  content?: Readonly<Record<string, object>>
  /** What its headers say, by name. */
  headers?: Readonly<Record<string, string>>
}

/** The checked parts of a request. */
export type RouteInput<Query extends GenericSchema, Body extends GenericSchema> = {
  query: InferOutput<Query>
  body: InferOutput<Body>
  /** A parameter of the path, decoded once. */
  param(name: string): string
  /** A handler whose answer comes from a run calls this. */
  begin: Begin
}

/** A route as the app mounts it. */
export type Route = RouteSchemas<GenericSchema, GenericSchema> & {
  handle(context: ServerContext, input: RouteInput<GenericSchema, GenericSchema>): Response | Promise<Response>
}

/**
 * Defines one method of a path.
 *
 * @example
 * defineRoute({
 *   method: 'GET',
 *   path: '/api/v1/sessions',
 *   tag: 'sessions',
 *   summary: 'Lists the sessions of a user',
 *   query: object({ user_id: optional(userId) }),
 *   answers: { 200: { description: 'The sessions, the most recently used first' } },
 *   handle: (context, { query }) => context.json({ sessions: [] }),
 * })
 */
export function defineRoute<Query extends GenericSchema, Body extends GenericSchema>(
  route: RouteSchemas<Query, Body> & {
    handle(context: ServerContext, input: RouteInput<Query, Body>): Response | Promise<Response>
  },
): Route {
  // `mountRoutes` passes what these schemas have returned.
  return route as unknown as Route
}
