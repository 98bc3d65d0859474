import { AgentKitError, type ErrorCode } from '@agentkit/core'
import {
  connectSdk,
  type ErrorContext,
  type Failure,
  findKey,
  nonEmpty,
  type PerRequest,
  type SdkConnection,
  type SettledOptions,
} from '@agentkit/wire'
import type { OpenAI } from 'openai'
import { knownModels } from './model-info.ts'

/** Which server to call, and how. */
export type OpenAIOptions = {
  /**
   * Names another server than OpenAI's, such as `xai`: its models have the ids `xai/…`, and its errors this name. It is sent
   * no key of OpenAI's, nor the account and headers of `OPENAI_ORG_ID`, `OPENAI_PROJECT_ID` and `OPENAI_CUSTOM_HEADERS`.
   */
  name?: string | undefined
  /** The environment variable with the key of a named server. Without it and `apiKey` no key is sent. */
  keyVariable?: string | undefined
  /** Else `LLMPROVIDER_API_KEY`, else `OPENAI_API_KEY`. A server of your own needs none. A function is called before each request. */
  apiKey?: PerRequest<string> | undefined
  /** With `/v1`; else `OPENAI_BASE_URL`, else OpenAI's own. */
  baseURL?: string | undefined
  /** Sent with every request. A function is called before each one. */
  headers?: PerRequest<Record<string, string>> | undefined
  fetch?: typeof fetch | undefined
  /**
   * The transport of requests: `node` is `node:http` with kept connections, `fetch` is the global `fetch`; default
   * `node`.
   */
  transport?: 'node' | 'fetch' | undefined
  /** An `OpenAI` client of your own, used as it is: it brings its key, address, headers and fetch. */
  client?: OpenAI | undefined
  /** `auto` is the Responses API on OpenAI's own server, and Chat Completions on any other. */
  api?: 'auto' | 'responses' | 'chat' | undefined
}

/** The address and the credentials of requests. */
export type Connection = SdkConnection<OpenAI> & {
  api: 'responses' | 'chat'
  provider: string
  keyVariables: readonly string[]
}

/**
 * Resolves key, address and API from the options and the environment.
 * @throws AgentKitError `missing-key` on OpenAI's own server without a key, `invalid-config` for a key or an address
 *   that cannot be one
 */
export function connect({ api = 'auto', name, keyVariable, ...options }: SettledOptions<OpenAIOptions>): Connection {
  checkNames(name, keyVariable, options)
  const key =
    name === undefined
      ? { provider: 'openai', vendor: 'OpenAI', variables: ['LLMPROVIDER_API_KEY', 'OPENAI_API_KEY'] }
      : { provider: name, vendor: name, variables: keyVariable === undefined ? [] : [keyVariable] }
  const isWithoutKey = name !== undefined && findKey(options.apiKey, key) === undefined
  const ofOpenAI = name === undefined
  const connection = connectSdk(options, {
    key,
    ...(keyVariable !== undefined && { alwaysNeedsKey: true }),
    officialURL: 'https://api.openai.com/v1',
    urlVariable: 'OPENAI_BASE_URL',
    exampleURL: 'http://localhost:8080/v1',
    query: 'kept',
    create: async ({ defaultHeaders, ...settings }) => {
      const { OpenAI } = await import('openai')
      if (ofOpenAI) return new OpenAI({ ...settings, ...(defaultHeaders && { defaultHeaders }) })
      // The SDK sends a key of its own making to a server that has none.
      const authorization = isWithoutKey ? null : `Bearer ${settings.apiKey}`
      const headers = { ...noCustomHeaders(), authorization, ...defaultHeaders }
      return new OpenAI({ ...settings, ...noAccount, defaultHeaders: headers })
    },
    signature: async ({ apiKey }) => ({
      ...{ name: 'OpenAI', version: (await import('openai/version')).VERSION, variables: 'OPENAI' },
      headers: {
        'openai-organization': ofOpenAI ? (nonEmpty(process.env.OPENAI_ORG_ID) ?? null) : null,
        'openai-project': ofOpenAI ? (nonEmpty(process.env.OPENAI_PROJECT_ID) ?? null) : null,
        authorization: isWithoutKey ? null : `Bearer ${apiKey}`,
      },
    }),
  })
  const resolved = api === 'auto' ? (connection.official ? 'responses' : 'chat') : api
  return { ...connection, api: resolved, provider: key.provider, keyVariables: key.variables }
}

/** Keeps the SDK from sending the OpenAI account in the environment to another server. */
const noAccount = { organization: null, project: null }

/** Removes the headers that the SDK reads from the environment, which are for OpenAI. */
function noCustomHeaders(): Record<string, null> {
  const lines = (process.env.OPENAI_CUSTOM_HEADERS ?? '').split('\n').filter((line) => line.includes(':'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).trim(), null]))
}

function checkNames(
  name: string | undefined,
  keyVariable: string | undefined,
  { baseURL, client }: Pick<SettledOptions<OpenAIOptions>, 'baseURL' | 'client'>,
): void {
  if (name === undefined) {
    if (keyVariable === undefined) return
    throw new AgentKitError('invalid-config', '`keyVariable` is of a named server: pass `name` too, such as "xai".')
  }
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name)) {
    const form = 'at most 64 letters, digits, ".", "_" and "-"'
    throw new AgentKitError('invalid-config', `\`name\` is ${form}, not ${JSON.stringify(name)}.`)
  }
  if (baseURL === undefined && client === undefined) {
    throw new AgentKitError('invalid-config', `The server "${name}" needs its address: pass \`baseURL\`, with /v1.`)
  }
}

/** The context for errors of this model: hints for them, and secrets to redact. */
export function errorContext(model: string, connection: Connection): ErrorContext {
  return {
    provider: connection.provider,
    model,
    secrets: connection.secrets,
    // A gateway has OpenAI's models too, beside others; a server with a name has its own.
    ...((connection.official || (connection.provider === 'openai' && openaiName.test(model))) && {
      models: knownModels,
    }),
    hint: (code, failure) => hint(code, failure, connection),
  }
}

/** OpenAI's names, also behind a gateway. */
const openaiName = /^(gpt-|chatgpt-|o\d)/

function hint(code: ErrorCode, { status, message }: Failure, connection: Connection): string | undefined {
  if (code === 'auth' && status !== 403) {
    const { keyVariables } = connection
    return keyVariables.length > 0
      ? `Set ${keyVariables.join(' or ')}, or pass apiKey.`
      : 'Pass apiKey, or the variable that has it as keyVariable (key_env in the configuration).'
  }
  if (connection.api === 'chat' && wantsResponses.test(message)) return "Set api: 'responses'."
  if (code !== 'bad-request' || status !== 404 || connection.official) return undefined
  if (!/\/v\d/.test(connection.baseURL)) {
    // The query of the address may have a key.
    return `The baseURL of most servers ends in /v1: ${connection.baseURL.replace(/\?.*$/s, '')} does not.`
  }
  return connection.api === 'responses' ? "This server may not have the Responses API: set api: 'chat'." : undefined
}

const wantsResponses = /v1\/responses/
