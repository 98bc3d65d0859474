import { AgentKitError, type Model, type ModelEvent, type ModelRequest } from '@agentkit/core'
import { abortError, checkOptions, isText } from '@agentkit/core/internal'
import { BurstIterator } from './burst-iterator.ts'
import { type CassetteOptions, isFunction } from './canonical-request.ts'
import { placesOf } from './moments.ts'
import type { RecordedCall } from './parse-cassette.ts'
import { readCassette } from './read-cassette.ts'
import { type Asked, RecordedCalls } from './recorded-calls.ts'
import { fromRecordedError } from './recorded-error.ts'
import { ReplayClock } from './replay-clock.ts'

/** A recorded model: the first one of its cassette. Its other models answer in the common recorded order. */
export interface ReplayedModel extends Model {
  /**
   * @param id `provider/model`; a model that was never called has no answers
   * @param options.group answers with the calls that were recorded with this `group`, and with those that have none
   */
  model(id: string, options?: { group?: string }): Model
}

/**
 * A model that answers from a cassette, with the recorded events, and without a network. It fails as the recorded one
 * did, and keeps the order between concurrent calls.
 *
 * A call is found by its request, in any order; equal requests get their answers in the recorded order, each once. A
 * request that was not recorded fails with `not-found`, and the message shows the differences to the nearest one.
 *
 * @throws AgentKitError `not-found` when there is no such file, or no call in it; `unreadable-file` for an invalid one
 * @example
 * const agent = new Agent({ name: 'Weather', functions: [weather], model: replay('weather.cassette') })
 * @example
 * const cassette = replay('team.cassette') // shared by all models of a run
 * const editor = new Agent({ name: 'Editor', functions: [], model: cassette.model('openai/gpt-5.4') })
 */
export function replay(file: string, options: CassetteOptions = {}): ReplayedModel {
  checkOptions(options, { normalize: isFunction }, { of: 'replay' })
  const cassette = readCassette(file)
  const first = cassette.calls[0]?.model
  if (first === undefined) throw new AgentKitError('not-found', `The cassette ${file} has no calls. Record it again.`)
  const recordedCalls = new RecordedCalls(file, cassette, options)
  const clock = new ReplayClock(placesOf(cassette.calls))
  const model = (id: string, given: { group?: string } = {}): Model => {
    checkOptions(given, { group: isText }, { of: 'replay.model' })
    const info = cassette.models.find((recorded) => recorded.model === id)?.info
    return {
      id,
      ...(info && { info }),
      stream: (request, signal) =>
        new BurstIterator(play({ id, ...given }, request, signal, recordedCalls, clock), signal),
    }
  }
  return { ...model(first), model }
}

async function* play(
  model: Asked,
  request: ModelRequest,
  signal: AbortSignal,
  recordedCalls: RecordedCalls,
  clock: ReplayClock,
): AsyncGenerator<ModelEvent[], void> {
  if (signal.aborted) throw abortError(signal)
  const { recorded, index } = recordedCalls.take(model, request)
  clock.begin(index)
  try {
    for (const burst of recorded.events) {
      await clock.turn(index, signal)
      yield burst
    }
    if (recorded.left !== undefined) throw await leaving(recorded, signal)
    const failure = fromRecordedError(recorded)
    if (!failure) return
    await clock.turn(index, signal)
    throw failure
  } finally {
    // This also ends a call that is abandoned earlier than in the recording.
    clock.end(index)
  }
}

/** How much later than in the recording an abort may come, in milliseconds. */
const longerByMs = 2_000

/** The recorded answer ends here, because its reader aborted: waits for the same abort. */
function leaving({ call, left = 0 }: RecordedCall, signal: AbortSignal): Promise<AgentKitError> {
  return new Promise((resolve) => {
    const leave = (): void => {
      clearTimeout(timer)
      resolve(abortError(signal))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave)
      const message = `When call ${call} was recorded, it was aborted at this point, and now it is not. Record it again.`
      resolve(new AgentKitError('not-found', message))
    }, left + longerByMs)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}
