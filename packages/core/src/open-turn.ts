import { sleep, untilAborted } from './abort.ts'
import { AgentKitError, isAgentKitError } from './errors.ts'
import { limits } from './limits.ts'
import type { Message } from './message.ts'
import type { SessionKey, SessionStore } from './session.ts'
import { keyText, perStore, waitInLine } from './session-line.ts'
import type { Usage } from './usage.ts'

/** A run's hold on its session, from `begin` to `end`. */
export type OpenTurn = {
  /** What the model may see of the conversation before this run. */
  history: readonly Message[]
  append(messages: Message[]): Promise<void>
  end(status: 'done' | 'failed', usage: Usage): Promise<void>
  /** Lets the next run of this session begin; after `end`, or instead of it when the store fails. */
  release(): void
}

type TurnRequest = {
  store: SessionStore
  /** Absent: nothing is remembered. */
  key: SessionKey | undefined
  runId: string
  input: Message
  /** Seeds a session that has no history. */
  seed: readonly Message[]
  signal: AbortSignal
}

/**
 * Claims the session for one run, loads its history and journals the user's message.
 * Runs of this process wait in line; a run of another process is waited for up to 5 s.
 *
 * @throws AgentKitError `session-busy` when another process holds the session for longer
 */
export async function openTurn({ store, key, runId, input, seed, signal }: TurnRequest): Promise<OpenTurn> {
  if (!key) return forgetfulTurn(seed)
  const release = await waitInLine(store, key, signal)
  try {
    await untilAborted(signal, endLeftover(store, key))
    const history = await begin({ store, key, runId, input, seed, signal })
    return {
      history,
      append: async (messages) => store.append(runId, messages),
      async end(status, usage) {
        await store.end(runId, status, usage)
        forgetLeftover(store, key, runId)
      },
      release,
    }
  } catch (error) {
    release()
    throw error
  }
}

function forgetfulTurn(history: readonly Message[]): OpenTurn {
  const nothing = async (): Promise<void> => {}
  return { history, append: nothing, end: nothing, release() {} }
}

type KeyedRequest = TurnRequest & { key: SessionKey }

async function begin(request: KeyedRequest): Promise<readonly Message[]> {
  const { store, key, seed, input, signal } = request
  const giveUpAt = performance.now() + limits.sessionWaitMs
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 250)) {
    const session = await untilAborted(signal, store.load(key))
    const known = session && session.messages.length > 0
    const conflict = await claim(request, session?.version ?? 0, known ? [input] : [...seed, input])
    if (!conflict) return known ? session.messages : seed
    if (performance.now() > giveUpAt) throw sessionBusy(conflict)
    await sleep(waitMs * (0.5 + Math.random() / 2), signal)
  }
}

/** @returns the conflict, when somebody else was faster or holds the session */
async function claim(
  { store, key, runId, signal }: KeyedRequest,
  expectedVersion: number,
  input: Message[],
): Promise<AgentKitError | undefined> {
  // Until the end is stored, the next run must see to it: the store may grant what it could not tell.
  leftovers(store).set(keyText(key), runId)
  const granted = (async () => store.begin(key, { runId, expectedVersion, input }))()
  try {
    await untilAborted(signal, granted)
    return undefined
  } catch (error) {
    if (isAgentKitError(error) && error.code === 'session-conflict') {
      forgetLeftover(store, key, runId)
      return error
    }
    // What is granted after an abort is given back at once, for the sake of other processes.
    granted
      .then(() => store.end(runId, 'failed'))
      .then(() => forgetLeftover(store, key, runId))
      .catch(() => {})
    throw error
  }
}

function sessionBusy(cause: AgentKitError): AgentKitError {
  return new AgentKitError('session-busy', 'Another run holds this session. Try again when it has ended.', {
    cause,
    retryable: true,
    retryAfterMs: 1000,
  })
}

/** Runs that the store could not end, by session: while they stand, no other run can begin. */
const leftovers = perStore<string>()

async function endLeftover(store: SessionStore, key: SessionKey): Promise<void> {
  const runId = leftovers(store).get(keyText(key))
  if (runId === undefined) return
  await store.end(runId, 'failed').catch((error) => {
    // It has been ended or taken over meanwhile: what was wanted.
    if (!isAgentKitError(error) || error.code !== 'session-conflict') throw error
  })
  forgetLeftover(store, key, runId)
}

function forgetLeftover(store: SessionStore, key: SessionKey, runId: string): void {
  // A later run may have noted itself meanwhile.
  if (leftovers(store).get(keyText(key)) === runId) leftovers(store).delete(keyText(key))
}
