import type { Model, ModelEvent, ModelRequest, ModelStream } from '@agentkit/core'
import { checkOptions, invalidArgument, isFlag, isRecord, isText } from '@agentkit/core/internal'
import { type CassetteOptions, canonicalRequest, isFunction } from './canonical-request.ts'
import { type CallEnd, type CassetteWriter, cassetteWriter, type OpenCall } from './cassette-writer.ts'

/** How calls are written to a cassette. */
export type RecordOptions = CassetteOptions & {
  /** Whether the content of the file is kept; otherwise the process's first call overwrites it. */
  append?: boolean
  /**
   * The group of these calls. `replay(file).model(id, { group })` answers only with the calls of its group, so that
   * concurrent tasks with equal requests get their own answers.
   */
  group?: string
}

/**
 * Wraps a model so that its calls are written to a cassette for `replay`. It returns the events and failures of the
 * model. Models that work together are recorded into one file.
 *
 * Secrets are scrubbed: values of environment variables with the name of a secret, and texts that look like a key.
 *
 * @param file overwritten by the first call of the process; further calls are appended, also those of other models
 * @throws AgentKitError `invalid-argument` for a value that is not a Model, and for an invalid path; `storage`, from a
 *   call, when the file cannot be written
 * @example
 * const model = record(openai().model('gpt-5.4-mini'), 'weather.cassette')
 * const agent = new Agent({ name: 'Weather', functions: [weather], model })
 */
export function record(model: Model, file: string, options: RecordOptions = {}): Model {
  checkRecorded(model)
  if (typeof file !== 'string' || file === '') {
    throw invalidArgument("record(model, file) takes the path of a file, such as 'support.cassette'.")
  }
  checkOptions(options, { normalize: isFunction, append: isFlag, group: isText }, { of: 'record' })
  const writer = cassetteWriter(file)
  writer.add(model)
  const recorded: Model = {
    id: model.id,
    ...(model.load && { load: async () => model.load?.() }),
    ...(model.eventTimeoutMs !== undefined && { eventTimeoutMs: model.eventTimeoutMs }),
    ...(model.withDefaultTimeout && {
      withDefaultTimeout: (timeoutMs) => record(model.withDefaultTimeout?.(timeoutMs) ?? model, file, options),
    }),
    stream: (request, signal) => recordStream(model, request, signal, writer, options),
  }
  // The metadata of a model may be known late.
  return Object.defineProperty(recorded, 'info', { get: () => model.info, enumerable: true })
}

/** @throws AgentKitError `invalid-argument`, such as for the name of a model */
function checkRecorded(model: unknown): void {
  if (isRecord(model) && typeof model.id === 'string' && typeof model.stream === 'function') return
  throw invalidArgument(
    'record(model, file) takes a Model, such as openai().model("gpt-5.4-mini"). For models by name: agentkit record.',
  )
}

function recordStream(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  writer: CassetteWriter,
  options: RecordOptions,
): ModelStream & AsyncIterator<ModelEvent> {
  let stream: ModelStream | undefined
  let iterator: AsyncIterator<ModelEvent> | undefined
  let call: OpenCall | undefined
  // Written at once: a model may take its time to notice, and the process may exit before.
  const leave = (): void => {
    try {
      end('left')
    } catch (error) {
      // An error that this listener throws would end the process.
      process.emitWarning(String(error), 'AgentKitWarning')
    }
  }
  const end = (how: CallEnd): void => {
    signal.removeEventListener('abort', leave)
    call?.end(how)
  }
  const open = (): AsyncIterator<ModelEvent> => {
    stream = model.stream(request, signal)
    return stream[Symbol.asyncIterator]()
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    ready() {
      const event = stream?.ready?.()
      if (event !== undefined) call?.record(event)
      return event
    },
    async next() {
      // A call that is aborted before it starts sends no request.
      if (!call && !signal.aborted) {
        call = writer.begin(model, canonicalRequest(request, options), options)
        signal.addEventListener('abort', leave)
      }
      try {
        iterator ??= open()
        const result = await iterator.next()
        if (result.done) end('done')
        else call?.record(result.value)
        return result
      } catch (error) {
        end({ error })
        throw error
      }
    },
    async return(value?: unknown) {
      let left: IteratorResult<ModelEvent> | undefined
      try {
        end('left')
      } finally {
        left = await iterator?.return?.(value)
      }
      return left ?? { done: true, value }
    },
  }
}
