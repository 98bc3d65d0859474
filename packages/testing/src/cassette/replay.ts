import { AgentKitError, type Model, type ModelEvent, type ModelRequest } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { BurstIterator } from './burst-iterator.ts'
import type { CassetteOptions } from './canonical-request.ts'
import { type RecordedCall, readCassette } from './cassette.ts'
import { placesOf } from './moments.ts'
import { ReplayClock } from './replay-clock.ts'
import { Shelf } from './shelf.ts'
import { fromThrown } from './thrown.ts'

/** A recorded model: the first one of its cassette. Its further models answer in the order in which all were recorded. */
export interface ReplayedModel extends Model {
  /** @param id `provider/model`; one that was never asked has no answers */
  model(id: string): Model
}

/**
 * A model that answers from a cassette, event for event as it was recorded, and without a network. It fails as the
 * recorded one did, and speaks in the same turns: agents that work side by side do what they did.
 *
 * A call is found by its request, whenever it comes; the same request gets its answers in the order in which they were
 * asked for, each once. One that was not recorded fails with `not-found`, and says what differs from the nearest.
 *
 * @throws AgentKitError `not-found` when there is no such file, or no call in it; `unreadable-file` for a broken one
 * @example
 * const agent = new Agent({ name: 'Weather', functions: [weather], model: replay('weather.cassette') })
 * @example
 * const cassette = replay('team.cassette') // one for all of a run's models
 * const editor = new Agent({ name: 'Editor', functions: [], model: cassette.model('openai/gpt-5.4') })
 */
export function replay(file: string, options: CassetteOptions = {}): ReplayedModel {
  const cassette = readCassette(file)
  const first = cassette.calls[0]?.model
  if (first === undefined) throw new AgentKitError('not-found', `The cassette ${file} has no calls. Record it again.`)
  const shelf = new Shelf(file, cassette, options)
  const clock = new ReplayClock(placesOf(cassette.calls))
  const model = (id: string): Model => {
    const info = cassette.models.find((recorded) => recorded.model === id)?.info
    return {
      id,
      ...(info && { info }),
      stream: (request, signal) => new BurstIterator(play(id, request, signal, shelf, clock), signal),
    }
  }
  return { ...model(first), model }
}

async function* play(
  model: string,
  request: ModelRequest,
  signal: AbortSignal,
  shelf: Shelf,
  clock: ReplayClock,
): AsyncGenerator<ModelEvent[], void> {
  if (signal.aborted) throw abortError(signal)
  const { recorded, index } = shelf.take(model, request)
  clock.begin(index)
  try {
    for (const burst of recorded.events) {
      await clock.turn(index, signal)
      yield burst
    }
    if (recorded.left !== undefined) throw await leaving(recorded, signal)
    const failure = fromThrown(recorded)
    if (!failure) return
    await clock.turn(index, signal)
    throw failure
  } finally {
    // Also of a call that is left earlier than it was.
    clock.end(index)
  }
}

/** How much longer than in the recording an abort may take, in milliseconds. */
const longerByMs = 2_000

/** The recorded answer goes no further: its reader aborted there, so this one is waited for. */
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
