import type { Message } from '../data/message.ts'
import { createRun } from './recorded-run.ts'
import { RecordedTurn } from './recorded-turn.ts'
import { storedTurn } from './stored-turn.ts'
import { keyOf, notSuspended } from './suspended-runs.ts'
import type { Changing, DescribedRun, NewTurn, OpenTurn } from './turn.ts'

/** The turn of a run without a session: stored only when it is suspended. */
export function unstoredTurn(request: NewTurn): OpenTurn {
  const { store, runId, seed, deadline } = request
  const { runs } = store
  const key = keyOf(request, runId)
  let stored: OpenTurn | undefined
  let described: DescribedRun | undefined

  const storeTurn = async (messages: readonly Message[]): Promise<OpenTurn> => {
    const input = [...seed, ...messages]
    const begun = { history: seed, seeded: seed.length, state: turn.state, version: 0, heldAt: performance.now() }
    if (!runs) {
      await store.begin(key, { runId, expectedVersion: 0, input })
      return storedTurn(request, { ...begun, release() {} })
    }
    await createRun({ ...request, runs, key, input, seeded: seed.length, isResumable: false }, 0)
    const run = { ...begun, attempt: 1, position: input.length, isResumable: false, deadline, since: runs.now() }
    const recorded = new RecordedTurn({ ...request, runs, key }, run, () => {})
    if (described) recorded.describe?.(described)
    return recorded
  }

  const turn: Changing<OpenTurn> = {
    history: seed,
    state: undefined,
    isLast: true,
    deadline,
    describe(run) {
      described = run
      stored?.describe?.(run)
    },
    append(messages, newState) {
      if (newState !== undefined) turn.state = newState
      return stored?.append(messages, newState)
    },
    async begin(calls) {
      await stored?.begin?.(calls)
    },
    async suspend(snapshot, usage, messages, approvals) {
      stored ??= await storeTurn(messages)
      return stored.suspend(snapshot, usage, messages, approvals)
    },
    async resume(signal) {
      if (!stored) throw notSuspended(runId)
      const resumed = await stored.resume(signal)
      Object.assign(turn, { state: stored.state, isLast: stored.isLast })
      return resumed
    },
    confirm: () => stored?.confirm?.(),
    ...(runs && {
      decide: async (decisions) => stored?.decide?.(decisions),
      watch: (listener) => stored?.watch?.(listener) ?? (() => {}),
      cancel: async () => stored?.cancel?.(),
    }),
    async end(status, usage, ending) {
      await stored?.end(status, usage, ending)
    },
    release: () => stored?.release(),
  }
  return turn
}
