import { setImmediate as nextTurn } from 'node:timers/promises'
import { AgentKitError, type Model, type ModelEvent, type ModelRequest } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { CallWatch, incompleteStream } from '@agentkit/wire'
import type { AISDKModel } from './ai-sdk-model.ts'
import { AnswerReader, ReportedFailure } from './answer-reader.ts'
import { type MediaKinds, toCallOptions } from './call-options.ts'
import { toModelError } from './model-error.ts'
import { secretsOfModel } from './secrets.ts'

/**
 * A model of the AI SDK as a model for agents. One `stream` is one attempt: the agent retries.
 *
 * @param model of specification V3 or V4
 * @returns a model whose id is `provider/modelId`, such as `openai.responses/gpt-5.4`
 * @throws AgentKitError `unsupported` for a model of an older specification, `invalid-argument` for anything else
 * @example
 * import { openai } from '@ai-sdk/openai'
 * const agent = new Agent({ name: 'Clerk', functions: [], model: fromAISDK(openai('gpt-5.4')) })
 */
export function fromAISDK(model: AISDKModel): Model {
  checkModel(model)
  return modelWith(model, noTimeout)
}

/** The maximum of `setTimeout`: core has its own limit for the silence of a model. */
const noTimeout = 2_147_483_647

/** @param timeoutMs the longest silence between two parts of the stream */
function modelWith(model: AISDKModel, timeoutMs: number): Model {
  const { supportsStructuredOutputs } = model as { supportsStructuredOutputs?: unknown }
  return {
    id: `${model.provider}/${model.modelId}`,
    // Many providers refuse a schema for the answer beside tools.
    info: { nativeOutput: supportsStructuredOutputs === false ? 'never' : 'without-tools' },
    withDefaultTimeout: (milliseconds) => modelWith(model, milliseconds),
    stream: (request, signal) => streamCall(model, request, signal, timeoutMs),
  }
}

async function* streamCall(
  model: AISDKModel,
  request: ModelRequest,
  signal: AbortSignal,
  timeoutMs: number,
): AsyncGenerator<ModelEvent> {
  const callee = { provider: model.provider, model: model.modelId }
  if (signal.aborted) throw abortError(signal, callee)
  const watch = new CallWatch(signal, { firstByteTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs }, callee)
  const answer = new AnswerReader(callee, request)
  let parts: ReadableStreamDefaultReader<unknown> | undefined
  let isComplete = false
  try {
    watch.start()
    parts = await startStream(model, request, watch, answer)
    for (let count = 1; !isComplete; count++) {
      watch.beforeRead()
      const { done, value } = await parts.read()
      if (watch.failure) throw watch.failure
      if (done) throw incompleteStream(callee)
      watch.afterRead()
      isComplete = answer.read(value)
      if (isComplete) watch.settle()
      yield* answer.take()
      // A stream that never waits would keep the timers from their turn.
      if (count % partsPerTurn === 0) await nextTurn()
    }
  } catch (error) {
    // Events before a part that fails are emitted before the failure, but none after an abort.
    if (!watch.failure) yield* answer.take()
    if (watch.failure) throw watch.failure
    const thrown = error instanceof ReportedFailure ? error.cause : error
    throw toModelError(thrown, { ...callee, secrets: await secretsOfModel(model) })
  } finally {
    watch.stop()
    if (!isComplete) watch.cancel()
    // Also after the last part: nothing else reads it.
    void parts?.cancel().catch(() => {})
  }
}

const partsPerTurn = 256

async function startStream(
  model: AISDKModel,
  request: ModelRequest,
  watch: CallWatch,
  answer: AnswerReader,
): Promise<ReadableStreamDefaultReader<unknown>> {
  const { stream, warnings } = await startCall(model, request, watch)
  for (const warning of warnings) answer.warn(warning)
  const parts = stream.getReader()
  // A pending read ends then.
  watch.onEnd((failure) => void parts.cancel(failure).catch(() => {}))
  return parts
}

/**
 * Starts the call. Which files a model takes is known to its provider's package alone, which refuses others before it sends
 * a request: the conversation is then converted without them.
 */
async function startCall(
  model: AISDKModel,
  request: ModelRequest,
  watch: CallWatch,
  media: MediaKinds = 'all',
): Promise<{ stream: ReadableStream<unknown>; warnings: string[] }> {
  const { options, warnings } = await watch.race(toCallOptions(model, request, media))
  // An async function: some models throw before they return a promise.
  const call = async (): Promise<{ stream: ReadableStream<unknown> }> =>
    // The options have the form of the model's specification.
    await model.doStream({ ...options, abortSignal: watch.signal } as never)
  const started = call()
  // Nothing else closes a stream that arrives after the call has ended.
  started.then(({ stream }) => watch.failure && stream.cancel()).catch(() => {})
  try {
    const { stream } = await watch.race(started)
    return { stream, warnings }
  } catch (error) {
    const { name } = Object(error) as { name?: unknown }
    const fewer = fewerMedia(request, media)
    if (watch.failure || name !== 'AI_UnsupportedFunctionalityError' || fewer === undefined) throw error
    return startCall(model, request, watch, fewer)
  }
}

function fewerMedia({ messages }: ModelRequest, media: MediaKinds): MediaKinds | undefined {
  const has = (kind: string): boolean =>
    messages.some(({ content }) => typeof content !== 'string' && content.some(({ type }) => type === kind))
  if (media === 'all' && has('file')) return 'images'
  return media !== 'none' && has('image') ? 'none' : undefined
}

function checkModel(model: AISDKModel): void {
  const { specificationVersion: version, provider, modelId, doStream } = Object(model) as Partial<AISDKModel>
  const isModel = typeof provider === 'string' && typeof modelId === 'string' && typeof doStream === 'function'
  if (!isModel) {
    const found = typeof model === 'string' ? ` (not its name: import the provider of "${model}")` : ''
    throw new AgentKitError(
      'invalid-argument',
      `Pass a language model of the AI SDK${found}: fromAISDK(openai('gpt-5.4')).`,
    )
  }
  if (version === 'v3' || version === 'v4') return
  throw new AgentKitError(
    'unsupported',
    `"${provider}/${modelId}" is a model of the AI SDK's specification ${JSON.stringify(version) ?? 'V1'}; "v3" and "v4" are supported. Update its provider's package.`,
  )
}
