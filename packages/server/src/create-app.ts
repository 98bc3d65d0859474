import type { Runnable } from '@agentkit/core'
import { checkSeparate, outsideRuns } from '@agentkit/core/internal'
import { Hono } from 'hono'
import { aboutRoutes, publicRoutes } from './about/about-routes.ts'
import { loggedRequest, logProblem } from './answer/log-problem.ts'
import { handlerProblem, type ProblemError } from './answer/problem.ts'
import { type Capacity, createCapacity } from './capacity/capacity.ts'
import { chatRoutes } from './chat/chat-route.ts'
import { enqueueRoute } from './chat/enqueue-route.ts'
import { dialectProblem, noRoute } from './dialects/dialect-problem.ts'
import { dialectRoutes, publicDialectRoutes } from './dialects/dialect-routes.ts'
import { docsRoutes } from './docs/docs-routes.ts'
import { agentFiles } from './files/agent-files.ts'
import { fileRoutes } from './files/file-routes.ts'
import { authGuard } from './guards/auth.ts'
import { basePathGuard, pathBelow } from './guards/base-path.ts'
import { bodyGuard } from './guards/body-size.ts'
import { hostGuard } from './guards/host.ts'
import { originGuard } from './guards/origin.ts'
import { proxyGuard } from './guards/proxy.ts'
import { requestIdGuard } from './guards/request-id.ts'
import { secureHeadersGuard } from './guards/secure-headers.ts'
import { countRequests } from './metrics/count-requests.ts'
import { metricsRoute } from './metrics/metrics-route.ts'
import { usageRoute } from './metrics/usage-route.ts'
import { mountRoutes, withSlash } from './mount-routes.ts'
import { checkOptions, type ServerOptions, type ServerSettings } from './options.ts'
import { mountPage, otherMethod } from './page/page-routes.ts'
import { checkAgent } from './request/check-agent.ts'
import type { RouteParts } from './request/parts.ts'
import { runRoutes } from './runs/run-routes.ts'
import { hasRoom } from './sessions/disk-use.ts'
import { logRemoved } from './sessions/retention.ts'
import { maxBytesOf } from './sessions/retention-options.ts'
import { sessionRoutes } from './sessions/session-routes.ts'
import type { ServerContext, ServerEnv } from './util/server-env.ts'

/**
 * The Hono app of `createApp`. Declarations of a package that exports one name this type: they could name Hono only where
 * it is among the package's own dependencies.
 */
export interface AgentApp extends Hono {
  /** Answers a request. A Worker may pass its bindings and its context on, which no route of an agent reads. */
  fetch: (request: Request, bindings?: unknown, executionContext?: unknown) => Response | Promise<Response>
}

/**
 * An agent's HTTP routes as a Hono app, for your own server; `serve` includes one.
 *
 * The guards are the same as in `serve`: with `host` a loopback address, which is the default, the app answers only
 * requests whose `Host` is this machine.
 *
 * @param agent an Agent or a Swarm
 * @param options the same as for `serve`; `port` is not used, `host` says where the app will be reachable
 * @throws AgentKitError `invalid-argument` for a value that is not an agent
 * @throws AgentKitError `invalid-config` for invalid or unsafe options, with the fix
 * @example
 * const app = createApp(agent, { host: '0.0.0.0', auth: { tokens: { [process.env.TOKEN]: '*' } } })
 * const response = await app.request('/health')
 */
export function createApp(agent: Runnable, options?: ServerOptions): AgentApp {
  const settings = checkOptions(options)
  checkAgent(agent, 'createApp(agent)')
  checkSeparate(agent, options?.perUserFiles)
  // The type of our context variables is internal; callers get a plain Hono app.
  return buildApp(agent, settings, createCapacity(settings.limits, agent, settings.rules)) as unknown as AgentApp
}

/** @param capacity what all requests share; the code that stops the server closes it */
export function buildApp(agent: Runnable, settings: ServerSettings, capacity: Capacity): Hono<ServerEnv> {
  const { limits, log, auth, rules, trustedProxies } = settings
  const app = new Hono<ServerEnv>({ getPath: pathBelow(rules.basePath) })
  // Deno may call a server within the first run that has loaded a module. No run of a request is a part of another one.
  app.use('*', (_context, next) => outsideRuns(next))
  if (rules.metrics) app.use('*', countRequests(capacity.totals))
  app.use(
    '*',
    requestIdGuard(agent),
    secureHeadersGuard,
    proxyGuard({ isGuarded: rules.hasAuth || settings.allowUnauthenticated, trustedProxies }),
    hostGuard(settings.host, settings.allowedHosts),
    originGuard(settings.cors),
    basePathGuard(rules.basePath),
  )
  const disk = { maxBytes: maxBytesOf(settings.retention), onRemoved: logRemoved(log) }
  const parts: RouteParts = { agent, capacity, limits, log, rules, hasRoom: (bytes) => hasRoom(agent, disk, bytes) }
  const token = { timeoutMs: limits.headersMs, log }
  if (auth) {
    for (const path of ['/api/v1/info', withSlash('/api/v1/info')]) {
      app.use(path, authGuard(auth, { ...token, isPublic: true }))
    }
  }
  mountRoutes(app, [...publicRoutes(parts), ...publicDialectRoutes(parts)], parts, { isPublic: true })
  mountPage(app, { isServed: rules.playground })

  // The following guards apply to all other paths, unknown ones included.
  if (auth) app.use('*', authGuard(auth, token))
  if (rules.playground) app.all('/', otherMethod)
  app.use('*', bodyGuard(limits, agentFiles(agent) !== undefined))
  const routes = [chatRoutes, runRoutes, sessionRoutes, fileRoutes, aboutRoutes, dialectRoutes].flatMap((make) =>
    make(parts),
  )
  routes.push(enqueueRoute(parts), usageRoute(parts))
  if (rules.metrics) routes.push(metricsRoute(parts))
  mountRoutes(app, [...routes, ...(rules.docs ? docsRoutes(parts, app) : [])], parts)

  const respond = (problem: ProblemError, context: ServerContext): Response =>
    dialectProblem(context.get('localPath'), problem, context.get('requestId'))
  app.notFound((context) => respond(noRoute(context.req.path, rules), context))
  app.onError((error, context) => {
    // Routes that users add may throw Hono's own exceptions.
    if ('getResponse' in error && typeof error.getResponse === 'function') return error.getResponse()
    const problem = handlerProblem(error)
    logProblem(problem, loggedRequest(context), settings.log)
    // SDKs send a 503 again: what was cancelled, or interrupted by a later message, would run once more. While the server
    // stops, the next one may answer.
    if (problem.code === 'aborted' && !capacity.runs.isClosed) problem.headers['x-should-retry'] = 'false'
    return respond(problem, context)
  })
  return app
}
