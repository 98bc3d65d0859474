import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'

/** The texts of an answer, while they arise. */
export type TextStream = {
  /** The next text to send, to be called when the client has room for it; undefined when there is no more. */
  next(): Promise<string | undefined>
  /** Call it when the client has disconnected, or gets no answer. */
  leave(): void
}

/** The code that answers a request puts its event stream here. */
export type EventSlot = { stream?: TextStream }

/** The values that guards set for routes. Without a Node server, `env` is empty or absent. */
export type ServerEnv = {
  Bindings: Partial<HttpBindings> & { /** Set by `serve`, which writes event streams itself. */ events?: EventSlot }
  Variables: {
    requestId: string
    /** `performance.now()` when the request arrived. */
    startedAt: number
    /** The path within the app, which may be below one of another app. */
    localPath: string
    /** The user id that the token acts for, or `*` for any user. Absent without auth. */
    principal?: string
    /** The token may decide on approvals where these are for services. Absent without auth. */
    mayApprove?: boolean
    /** The address of the client, from the connection or from a trusted proxy. Absent without a Node server. */
    clientAddress?: string
    /** The host name that a trusted proxy says the client has called. */
    forwardedHost?: string
    /** The run that answers, for the header `x-run-id`. */
    runId?: string
    /** The path of the route that answers, with the names of its parameters. */
    route?: string
  }
}

export type ServerContext = Context<ServerEnv>
export type Guard = MiddlewareHandler<ServerEnv>
