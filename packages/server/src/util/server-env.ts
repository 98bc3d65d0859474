import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'

/** What the guards leave for the routes. Where no Node server is in front, `env` is empty or absent altogether. */
export type ServerEnv = {
  Bindings: Partial<HttpBindings>
  Variables: {
    requestId: string
    /** `performance.now()` at which the request came in. */
    startedAt: number
    /** Whom the token speaks for: a user id, or `*` for anyone. Absent without auth. */
    principal?: string
  }
}

export type ServerContext = Context<ServerEnv>
export type Guard = MiddlewareHandler<ServerEnv>
