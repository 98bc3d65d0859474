import { eventStreamType } from '../../answer/event-response.ts'
import { loggedRequest, logProblem } from '../../answer/log-problem.ts'
import { handlerProblem } from '../../answer/problem.ts'
import type { RouteParts } from '../../request/parts.ts'
import { withJSON } from '../../request/read-json.ts'
import { defineRoute, type Route } from '../../request/route.ts'
import type { ServerContext } from '../../util/server-env.ts'
import { dialectCaller, userHeader } from '../common/dialect-caller.ts'
import { A2AError, a2aFailure, type CallId } from './a2a-error.ts'
import { answerCall } from './a2a-methods.ts'
import { callIdOf, readCall } from './a2a-request.ts'
import { agentCard } from './agent-card.ts'
import { sendMessage } from './send-message.ts'

const json = { 'application/json': { type: 'object' } }
const call = {
  'application/json': {
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'number'] },
      method: { type: 'string' },
      params: { type: 'object' },
    },
    required: ['jsonrpc', 'id', 'method'],
  },
}

/** A2A 1.0 over JSON-RPC, for other agents. */
export function a2aRoute(parts: RouteParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/a2a',
    tag: 'dialects',
    summary: 'Answers a call of A2A 1.0',
    description: 'JSON-RPC 2.0. `contextId` is the session, the id of a task that of its run.',
    headers: userHeader,
    otherBody: call,
    answers: {
      200: { description: 'The result of the call', content: { ...json, [eventStreamType]: { type: 'string' } } },
    },
    async handle(context) {
      let id: CallId = null
      try {
        return await withJSON(context, parts, async (sent, handOver) => {
          id = callIdOf(sent)
          checkVersion(context)
          const call = readCall(sent)
          const asked = { call, userId: dialectCaller(context), context, parts }
          const isMessage = call.method === 'SendMessage' || call.method === 'SendStreamingMessage'
          return isMessage ? sendMessage({ ...asked, handOver }) : answerCall(asked)
        })
      } catch (error) {
        // Here, because the error names the call.
        const problem = handlerProblem(error)
        logProblem(problem, loggedRequest(context), parts.log)
        return a2aFailure(problem, id, context.get('requestId'))
      }
    },
  })
}

/** Clients of A2A 0.3 send no version. */
function checkVersion({ req }: ServerContext): void {
  const version = req.header('a2a-version') ?? req.query('A2A-Version') ?? ''
  if (/^1(?:\.0)?(?:\.\d+)?$/.test(version.trim())) return
  throw new A2AError(
    'VersionNotSupported',
    'This agent speaks A2A 1.0: send the header "A2A-Version: 1.0". Clients of A2A 0.3 need an update to 1.0.',
  )
}

/** The card by which other agents find this one. It needs no token. */
export function agentCardRoute({ agent, rules }: RouteParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/.well-known/agent-card.json',
    tag: 'dialects',
    summary: 'Describes the agent to other agents',
    answers: { 200: { description: 'The agent card of A2A', content: json } },
    handle: (context) =>
      context.json(agentCard(agent, { url: `${originOf(context)}${rules.basePath}/a2a`, hasAuth: rules.hasAuth })),
  })
}

/** The address by which the client has called, through a trusted proxy too. */
function originOf(context: ServerContext): string {
  const { origin } = new URL(context.req.url)
  const host = lastOf(context.get('forwardedHost'))
  if (host === undefined) return origin
  const isPlain = lastOf(context.req.header('x-forwarded-proto')) === 'http'
  return `${isPlain ? 'http' : 'https'}://${host}`
}

/** The value that the server's own proxy has added, where there are several proxies. */
function lastOf(forwarded: string | undefined): string | undefined {
  return forwarded?.split(',').at(-1)?.trim()
}
