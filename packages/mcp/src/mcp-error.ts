import { AgentKitError, isAgentKitError } from '@agentkit/core'
import {
  causesOf,
  connectionFailure,
  credentialsOf,
  firstChars,
  redactSecrets,
  systemCode,
} from '@agentkit/core/internal'
import { limits } from './limits.ts'
import { type Server, withoutArguments } from './options.ts'

/** Why a server could not be connected, in our words: the SDK's may hold addresses and answers. */
export function connectError(cause: unknown, server: Server): AgentKitError {
  const { name, command, timeoutMs } = server
  if (isAgentKitError(cause)) return cause
  const who = `The MCP server "${name}"`
  if (isMissingCommand(cause) && command !== undefined && withoutArguments(command) !== command) {
    const message = `${who} cannot be started: there is no command of that name with arguments. Pass them as \`args\`.`
    return new AgentKitError('invalid-config', message, { cause: plainCause(cause) })
  }
  if (isMissingCommand(cause)) {
    const message = `${who} cannot be started: there is no command "${command}", or no folder \`cwd\`. Install it, or correct the path.`
    return new AgentKitError('invalid-config', message, { cause: plainCause(cause) })
  }
  if (isUnauthorized(cause)) {
    return new AgentKitError('auth', `${who} ${authProblem(cause, server)}`, { cause: plainCause(cause) })
  }
  const failure = callFailure(cause)
  if (failure.code === 'timeout') {
    return new AgentKitError('timeout', `${who} did not answer within ${timeoutMs} ms.`, {
      cause: plainCause(cause),
      retryable: true,
    })
  }
  if (isInvalidAnswer(cause)) {
    const message = `${who} cannot be used: its answer does not follow the protocol. Update the server.`
    return new AgentKitError('network', message, { cause: plainCause(cause), retryable: false })
  }
  if (isOtherVersion(cause)) {
    const message = `${who} cannot be used: it speaks a version of the protocol that is not supported. Update @agentkit/mcp or the server.`
    return new AgentKitError('network', message, { cause: plainCause(cause), retryable: false })
  }
  const how = command === undefined ? connectedHint(cause) : startedHint(server)
  const reason = failure.reason === undefined ? '' : ` (${failure.reason})`
  return new AgentKitError('network', `${who} cannot be connected${reason}. ${how}`, {
    cause: plainCause(cause),
    retryable: true,
  })
}

/** A hint for a server that runs, but has MCP at another path: it answers with a page, or does not know the path. */
function connectedHint(cause: unknown): string {
  const isOther = causesOf(cause).some((error) => systemCode(error) === 'CLIENT_HTTP_UNEXPECTED_CONTENT')
  const isElsewhere = isOther || [301, 302, 303, 307, 308, 404, 405].includes(statusOf(cause) ?? 0)
  return isElsewhere ? 'Correct the path of its `url`: many end in /mcp.' : 'Look whether it runs.'
}

/** The command may work in the user's shell, which has more variables. */
function startedHint({ command, args = [] }: Server): string {
  const words = args.length === 0 ? '' : ' with its `args`'
  return `Run "${command}"${words} by hand to see what it prints. Here it has the variables of \`env\`, HOME, LOGNAME, PATH, SHELL, TERM and USER.`
}

function authProblem(cause: unknown, { authProvider }: Server): string {
  if (!authProvider) return 'refuses the credentials. Pass valid `headers` or an `authProvider`.'
  const isSent = 'redirectToAuthorization' in authProvider && /Unauthorized/.test(nameOf(cause))
  if (!isSent) return 'refuses the credentials of the `authProvider`. Renew them.'
  return 'wants its user to authorize, to whom the `authProvider` has shown the address. Save the tokens by `auth(authProvider, { serverUrl, authorizationCode })` of the SDK of MCP, and connect again.'
}

export function answerTooLarge(): AgentKitError {
  return new AgentKitError('network', `The answer has more than ${limits.answerBytes} bytes.`)
}

/** Why a call failed. The text of an error that the server returned is for the model, like a result. */
export function callError(cause: unknown, server: Server, tool: string): AgentKitError {
  if (isAgentKitError(cause)) return cause
  if (nameOf(cause).includes('ProtocolError') && cause instanceof Error) {
    // Redacted before it is cut, because half a key is not recognized as one.
    const clean = redactSecrets(cause.message.slice(0, limits.errorChars * 2), credentialsOf(server))
    const text = firstChars(clean, limits.errorChars)
    const message = `The MCP server "${server.name}" refused the call: ${text}${addressesIn(cause)}`
    return new AgentKitError('tool-error', message, {
      cause: plainCause(cause),
    })
  }
  if (isUnauthorized(cause)) return connectError(cause, server)
  const { code, reason } = callFailure(cause)
  const call = `The call of "${tool}" at the MCP server "${server.name}"`
  if (code === 'timeout') {
    return new AgentKitError('timeout', `${call} had no answer within ${server.timeoutMs} ms.`, {
      cause: plainCause(cause),
      phase: 'tool',
    })
  }
  if (isInvalidAnswer(cause)) {
    const message = `${call} may have been executed, but its answer does not follow the protocol.`
    return new AgentKitError('network', message, { cause: plainCause(cause), retryable: false })
  }
  if (statusOf(cause) === 429) {
    const message = `${call} was not executed: the server receives too many requests (HTTP 429). Call it again later.`
    return new AgentKitError('rate-limit', message, { cause: plainCause(cause) })
  }
  const why = reason === undefined ? '' : ` (${reason})`
  return new AgentKitError('network', `${call} lost its connection${why}: it may have been executed.`, {
    cause: plainCause(cause),
  })
}

/** The addresses that a server wants its user to open before it is called again: they are shown, and never opened. */
function addressesIn(cause: Error): string {
  const { elicitations } = Object('data' in cause ? cause.data : undefined) as { elicitations?: unknown }
  const urls = (Array.isArray(elicitations) ? elicitations : []).flatMap((each) => {
    const { url } = Object(each) as { url?: unknown }
    return typeof url === 'string' ? [url.slice(0, limits.errorChars)] : []
  })
  return urls.length === 0 ? '' : ` It asked to open ${urls.slice(0, limits.addresses).join(' , ')} .`
}

/**
 * The cause of a failure, without text and data of the server and the SDK: a server may return tokens that it was sent.
 */
function plainCause(cause: unknown): object {
  const [error] = causesOf(cause)
  const status = statusOf(cause)
  const code = causesOf(cause).map(systemCode).find(Boolean)
  return { name: error?.name, ...(code !== undefined && { code }), ...(status !== undefined && { status }) }
}

/** Whether a call cannot have begun: the connection was closed before, was refused, or the session is unknown. */
export function hasNotBegun(cause: unknown): boolean {
  const codes = causesOf(cause).map(systemCode)
  return (
    codes.includes('NOT_CONNECTED') ||
    codes.includes('ECONNREFUSED') ||
    codes.includes('ENOTFOUND') ||
    messageOf(cause) === 'Not connected' ||
    statusOf(cause) === 404 ||
    isSessionRefused(cause)
  )
}

/** The protocol has 404 for a session that is unknown. Servers made after a sample of the SDK, and some SDKs, have 400. */
function isSessionRefused(cause: unknown): boolean {
  return statusOf(cause) === 400 && causesOf(cause).some((error) => /session|not initialized/i.test(bodyOf(error)))
}

function callFailure(cause: unknown): { code: 'network' | 'timeout'; reason?: string } {
  const chain = causesOf(cause)
  if (chain.some((error) => systemCode(error) === 'REQUEST_TIMEOUT')) return { code: 'timeout' }
  const tooLarge = chain.find((error) => isAgentKitError(error))
  if (tooLarge) return { code: 'network', reason: tooLarge.message.replace(/\.$/, '') }
  const status = statusOf(cause)
  if (status !== undefined) return { code: 'network', reason: `HTTP ${status}` }
  // The code of the SDK would hide the code of the system.
  const failure = connectionFailure(chain.filter((error) => !nameOf(error).includes('SdkError')))
  if (failure) return { code: failure.code, ...(failure.systemCode !== undefined && { reason: failure.systemCode }) }
  return { code: 'network' }
}

function isInvalidAnswer(cause: unknown): boolean {
  return causesOf(cause).some((error) => systemCode(error) === 'INVALID_RESULT')
}

/** The SDK has no code for it. */
function isOtherVersion(cause: unknown): boolean {
  return causesOf(cause).some(
    (error) =>
      /UnsupportedProtocolVersion/.test(nameOf(error)) || /protocol version is not supported/.test(error.message),
  )
}

function isMissingCommand(cause: unknown): boolean {
  return causesOf(cause).some(
    (error) =>
      ['ENOENT', 'EACCES', 'ENOTDIR'].includes(systemCode(error) ?? '') &&
      'syscall' in error &&
      String(error.syscall).startsWith('spawn'),
  )
}

function isUnauthorized(cause: unknown): boolean {
  const status = statusOf(cause)
  if (status === 401 || status === 403) return true
  return causesOf(cause).some(
    (error) =>
      /Unauthorized|OAuth|InsufficientScope|IssuerMismatch|RegistrationRejected/.test(nameOf(error)) ||
      /^CLIENT_HTTP_(AUTHENTICATION|FORBIDDEN)$/.test(systemCode(error) ?? ''),
  )
}

function statusOf(cause: unknown): number | undefined {
  for (const error of causesOf(cause)) {
    const { status, data } = error as { status?: unknown; data?: { status?: unknown } }
    const found = status ?? data?.status
    if (typeof found === 'number') return found
  }
  return undefined
}

function bodyOf(error: Error): string {
  const { text } = Object('data' in error ? error.data : undefined) as { text?: unknown }
  return typeof text === 'string' ? text : ''
}

function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name} ${error.constructor.name}` : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}
