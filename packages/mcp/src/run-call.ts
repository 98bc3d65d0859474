import { AgentKitError } from '@agentkit/core'
import { sleep, tracer } from '@agentkit/core/internal'
import {
  type CallToolResult,
  type Client,
  type ElicitRequestParams,
  type InputRequiredResult,
  isInputRequiredResult,
  SdkError,
  SdkErrorCode,
  type Tool as ServerTool,
} from '@modelcontextprotocol/client'
import { type Calls, currentCall, elicit, type RunningCall } from './elicitation.ts'
import { limits } from './limits.ts'
import type { Server } from './options.ts'

/** A call of a server's tool. */
export type ServerCall = { tool: ServerTool; input: unknown; running: RunningCall }

/**
 * Sends a call, and sends it again with the input that the server requires, as the protocol defines since 2026-07-28.
 * The SDK would not report which of several calls requires the input.
 */
export async function runCall(
  client: Client,
  { tool, input, running }: ServerCall,
  place: { server: Server; calls: Calls },
): Promise<CallToolResult> {
  // The pattern and the text would both come from the server, and could block the process.
  const { outputSchema: _, ...definition } = tool
  const traceContext = tracer()?.headers() ?? {}
  const params = {
    name: tool.name,
    arguments: input as Record<string, unknown>,
    // https://modelcontextprotocol.io/community/seps/414-request-meta
    ...(Object.keys(traceContext).length > 0 && { _meta: traceContext }),
  }
  const { signal } = running.context
  const clock = requestClock(signal, place.server.timeoutMs)
  running.hold = clock.hold
  running.streamEnded = clock.loseSoon
  const options = {
    signal: clock.signal,
    // The clock has its own timeout, which progress extends, and which pauses while a person is asked.
    timeout: limits.longestTimerMs,
    toolDefinition: definition,
    allowInputRequired: true,
    onprogress: clock.restart,
  }
  try {
    let more = {}
    for (let round = 0; round <= limits.elicitationsPerCall; round++) {
      const result = await currentCall.run(running, () => client.callTool({ ...params, ...more }, options))
      clock.answered()
      if (!isInputRequiredResult(result)) return result
      more = await requiredInput(result, running, place)
      clock.restart()
    }
  } finally {
    clock.stop()
    running.hold = () => () => {}
    running.streamEnded = () => {}
  }
  const often = `requires input more than ${limits.elicitationsPerCall} times`
  throw new AgentKitError('tool-error', `The MCP server "${place.server.name}" ${often} for one call.`)
}

/** The input with which the call is sent again. */
async function requiredInput(
  { inputRequests = {}, requestState }: InputRequiredResult,
  running: RunningCall,
  place: { server: Server; calls: Calls },
): Promise<{ inputResponses?: Record<string, unknown>; requestState?: string }> {
  const { signal } = running.context
  const requests = Object.entries(inputRequests)
  // A server that has nothing to ask wants to be called later.
  if (requests.length === 0) await sleep(limits.callAgainMs, signal)
  const answers = requests.map(async ([key, request]) => {
    const params = elicitParams(request)
    if (params) return [key, await elicit(params, { ...place, signal }, running)]
    const what = `requires input by "${String(request?.method).slice(0, limits.nameChars)}", which is refused`
    throw new AgentKitError('tool-error', `The MCP server "${place.server.name}" ${what}.`)
  })
  return {
    ...(requests.length > 0 && { inputResponses: Object.fromEntries(await Promise.all(answers)) }),
    ...(requestState !== undefined && { requestState }),
  }
}

/** The SDK's own check wants fields that only earlier revisions have. */
function elicitParams({ method, params }: { method: string; params?: unknown }): ElicitRequestParams | undefined {
  const { mode = 'form', message, url, requestedSchema = {} } = Object(params) as Record<string, unknown>
  const isForm = mode === 'form' && typeof requestedSchema === 'object' && requestedSchema !== null
  const isAddress = mode === 'url' && typeof url === 'string'
  if (method !== 'elicitation/create' || typeof message !== 'string' || !(isForm || isAddress)) return undefined
  return params as ElicitRequestParams // checked above
}

/** The time of a request: the SDK's own would run while a person is asked. */
function requestClock(
  signal: AbortSignal,
  timeoutMs: number,
): { signal: AbortSignal; restart(): void; hold(): () => void; loseSoon(): void; answered(): void; stop(): void } {
  const controller = new AbortController()
  let holds = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let losing: ReturnType<typeof setTimeout> | undefined
  const restart = (): void => {
    clearTimeout(timer)
    if (holds > 0 || controller.signal.aborted) return
    timer = setTimeout(() => {
      controller.abort(new SdkError(SdkErrorCode.RequestTimeout, 'The request timed out.'))
    }, timeoutMs)
  }
  restart()
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    restart,
    hold() {
      holds++
      clearTimeout(timer)
      return () => {
        holds--
        restart()
      }
    },
    // The SDK would wait for an answer that cannot come any more.
    loseSoon() {
      losing ??= setTimeout(() => {
        controller.abort(new SdkError(SdkErrorCode.ConnectionClosed, 'The stream ended without an answer.'))
      }, limits.lastBytesMs)
    },
    answered() {
      clearTimeout(losing)
      losing = undefined
    },
    stop() {
      holds++
      clearTimeout(timer)
      clearTimeout(losing)
    },
  }
}
