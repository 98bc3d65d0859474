import type { AgentKitError, Model, ModelInfo, ModelRequest } from '@agentkit/core'
import type { Callee } from '../errors/provider-error.ts'
import { type CallTimeouts, checkTimeouts } from '../stream/call-watch.ts'
import { type ModelCall, ModelStream } from '../stream/model-stream.ts'
import type { Framing } from '../stream/read-frames.ts'

/** One request of a model, ready to be sent. */
export type PreparedCall = Pick<ModelCall, 'warnings' | 'send' | 'reader'>

export type ProviderModelOptions = Callee & {
  info?: ModelInfo | undefined
  /** The options of the factory. */
  timeouts: CallTimeouts
  /** Defaults for absent options; 60,000 ms when absent. */
  defaultTimeouts?: CallTimeouts
  framing?: Framing
  /** Loads the SDK for a call; `undefined` if it is loaded. */
  load(): Promise<unknown> | undefined
  /** Maps a request to the provider's, without sending it. */
  prepare(request: ModelRequest): PreparedCall
  toError(error: unknown): AgentKitError
}

/** The `Model` of a provider; timers, abort and the end of the stream are the same for all. */
export function providerModel(options: ProviderModelOptions): Model {
  const { provider, model, info, framing = 'sse', load, prepare, toError } = options
  const timeouts = checkTimeouts({ ...options.defaultTimeouts, ...definedOnly(options.timeouts) })
  return {
    id: `${provider}/${model}`,
    ...(info && { info }),
    stream: (request, signal) =>
      new ModelStream({ provider, model, signal, timeouts, framing, load, toError, ...prepared(prepare, request) }),
    withDefaultTimeout: (timeoutMs) =>
      providerModel({ ...options, defaultTimeouts: { firstByteTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs } }),
  }
}

/** An option that is `undefined` is absent. */
function definedOnly({ firstByteTimeoutMs, idleTimeoutMs }: CallTimeouts): CallTimeouts {
  return {
    ...(firstByteTimeoutMs !== undefined && { firstByteTimeoutMs }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  }
}

/** A request that cannot be mapped fails when the stream is read, like every other failure. */
function prepared(prepare: ProviderModelOptions['prepare'], request: ModelRequest): PreparedCall {
  try {
    return prepare(request)
  } catch (error) {
    return { warnings: [], send: () => Promise.reject(error), reader: unread }
  }
}

/** The reader of a request that is never sent. */
const unread: PreparedCall['reader'] = { read: () => true, finish() {}, take: () => [] }
