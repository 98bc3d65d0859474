import { AgentKitError, type Embedder, isAgentKitError, type Model, type ModelStream } from '@agentkit/core'
import { abortError, messageOf, redactSecrets, untilAborted } from '@agentkit/core/internal'
import type { Callee } from '../errors/provider-error.ts'
import { isHeaders, isKey } from './factory-options.ts'
import { secretsOf } from './provider-options.ts'

/** A value, or a function that gives it for each request. */
export type PerRequest<Value> = Value | (() => Value | Promise<Value>)

type Credentials = { apiKey?: string | undefined; headers?: Record<string, string> | undefined }

/** The options that a factory accepts as a value or a function. A client of the user has its own. */
type Given = { [Name in keyof Credentials]: PerRequest<NonNullable<Credentials[Name]>> | undefined } & {
  client?: unknown
}

/** The options of a factory, with the values of one request. */
export type SettledOptions<Options extends Given> = Options & Credentials

type Provider = {
  readonly id: string
  model(id: string, options?: object): Model
  embedder(id: string, settings?: object): Embedder
}

/** Whether no option is a function that gives a value for each request. */
export function isSettled<Options extends Given>(options: Options): options is SettledOptions<Options> {
  return typeof options.apiKey !== 'function' && typeof options.headers !== 'function'
}

/**
 * A provider whose key or headers are given by functions, which are called once before each request.
 *
 * Each pair of values has a provider of its own, which redacts them from its errors. The last ones are kept with their
 * connections: a key changes seldom.
 * @param options with a function
 * @param factory takes them with values
 */
export function perRequest<Options extends Given, Made extends Provider>(
  options: Options,
  factory: (settled: SettledOptions<Options>) => Made,
): Made {
  const { apiKey, headers } = options
  const kept = new Map<string, Made>()
  /** The secrets of the last request: an error of a function that cannot renew a key may quote the old key. */
  let secrets: readonly string[] = []
  const settle = async (model: string, signal: AbortSignal): Promise<Made> => {
    const call = { signal, secrets, callee: { provider: unsettled.id, model } }
    const [key, fields] = await Promise.all([
      settledValue('apiKey', apiKey, isKey, call),
      settledValue('headers', headers, isHeaders, call),
    ])
    secrets = secretsOf(key, fields)
    const name = JSON.stringify([key, fields])
    const made = kept.get(name) ?? factory({ ...options, apiKey: key, headers: fields })
    // The last entry of the map is the most recently used one.
    kept.delete(name)
    kept.set(name, made)
    for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest)
    return made
  }

  /** A provider that has the facts of the models, and refuses wrong options immediately. It sends no requests. */
  const unsettled = factory({
    ...options,
    apiKey: typeof apiKey === 'function' ? 'given-for-each-request' : apiKey,
    headers: typeof headers === 'function' ? {} : headers,
  })
  if (options.client !== undefined) return unsettled
  return {
    ...unsettled,
    model: (id: string, settings?: object) =>
      lateModel(unsettled.model(id, settings), async (signal) => (await settle(id, signal)).model(id, settings)),
    embedder: (id: string, settings?: object): Embedder => ({
      ...unsettled.embedder(id, settings),
      embed: async (texts, signal, task) => {
        const made = await settle(id, signal)
        return made.embedder(id, settings).embed(texts, signal, task)
      },
    }),
  }
}

const mostKept = 20
const longestMs = 60_000

/** The model that `settle` gives for a request, with the facts of `known`. */
function lateModel(known: Model, settle: (signal: AbortSignal) => Promise<Model>): Model {
  const { withDefaultTimeout } = known
  return {
    ...known,
    stream(request, signal) {
      let stream: ModelStream | undefined
      const events = (async function* () {
        stream = (await settle(signal)).stream(request, signal)
        yield* stream
      })()
      return Object.assign(events, { ready: () => stream?.ready?.() })
    },
    ...(withDefaultTimeout && {
      withDefaultTimeout: (timeoutMs) =>
        lateModel(withDefaultTimeout(timeoutMs), async (signal) => {
          const model = await settle(signal)
          return model.withDefaultTimeout?.(timeoutMs) ?? model
        }),
    }),
  }
}

/**
 * The checked result of a function of the user.
 * @throws AgentKitError `auth` when it throws, `timeout` when it does not settle, `invalid-config` for another value,
 *   which the message does not repeat
 */
async function settledValue<Value>(
  name: keyof Credentials,
  given: PerRequest<Value> | undefined,
  rule: { is: string; holds(value: unknown): value is Value },
  { signal, secrets, callee }: { signal: AbortSignal; secrets: readonly string[]; callee: Callee },
): Promise<Value | undefined> {
  if (!isFunction(given)) return given
  if (signal.aborted) throw abortError(signal, callee)
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const late = new Promise<never>((_resolve, reject) => {
      const message = `The function \`${name}\` returned no value within ${longestMs / 1000} s.`
      timer = setTimeout(() => reject(new AgentKitError('timeout', message, callee)), longestMs)
    })
    const value: unknown = await untilAborted(signal, Promise.race([late, (async () => given())()]))
    if (rule.holds(value)) return value
  } catch (thrown) {
    if (isAgentKitError(thrown)) throw thrown
    const words = redactSecrets(messageOf(thrown), secrets) || 'it threw.'
    throw new AgentKitError('auth', `The function \`${name}\` failed: ${words}`, { ...callee, cause: thrown })
  } finally {
    clearTimeout(timer)
  }
  throw new AgentKitError(
    'invalid-config',
    `The function \`${name}\` must return ${rule.is}, and returned another value.`,
    callee,
  )
}

function isFunction<Value>(given: PerRequest<Value> | undefined): given is () => Value | Promise<Value> {
  return typeof given === 'function'
}
