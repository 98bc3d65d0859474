import type { SessionStore } from '../contracts/session-store.ts'
import { type AgentKitError, isAgentKitError } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import type { Session, SessionKey } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { sleep, untilAborted } from '../util/abort.ts'
import { keyText, type LineRequest, perStore, sessionBusy, waitInLine } from './session-queue.ts'

export type Claim = LineRequest & { runId: string }

/** How a run begins in its session as that was loaded. */
export type Beginning<Found> = {
  input: Message[]
  /** How the run is given back when it has begun and nobody is left to hear of it. */
  undo: Ending
  found: Found
}

type Ending = { status: 'failed' | 'waiting'; usage?: Usage }

/** A run that holds its session. */
export type Held<Found> = {
  found: Found
  /** Lets the next run of this process have the session. May be called again. */
  release(): void
}

/**
 * Gets hold of a session for one run: in line with the runs of this process, by version with those of others.
 *
 * @param prepare says how to begin; it is asked again whenever the session has moved on
 * @throws AgentKitError `session-busy` when others hold the session for too long, and what `prepare` throws
 */
export async function claimSession<Found>(
  claim: Claim,
  prepare: (session: Session | undefined) => Promise<Beginning<Found>>,
): Promise<Held<Found>> {
  const { store, key, signal } = claim
  const release = await waitInLine(claim)
  try {
    await untilAborted(signal, endLeftover(store, key))
    return { found: await begin(claim, prepare), release }
  } catch (error) {
    release()
    throw error
  }
}

async function begin<Found>(
  claim: Claim,
  prepare: (session: Session | undefined) => Promise<Beginning<Found>>,
): Promise<Found> {
  const { store, key, signal, onBusy } = claim
  const giveUpAt = performance.now() + limits.sessionWaitMs
  let refusedAt: number | undefined
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 250)) {
    const session = await untilAborted(signal, store.load(key))
    const version = session?.version ?? 0
    const beginning = await prepare(session)
    const conflict = await tryToBegin(claim, version, beginning)
    if (!conflict) return beginning.found
    // Refused twice at one version: it did not move on between load and begin, somebody holds it.
    const isHeld = refusedAt === version
    if (performance.now() > giveUpAt || (onBusy === 'reject' && isHeld)) throw sessionBusy(conflict)
    refusedAt = version
    if (onBusy !== 'reject') await sleep(waitMs * (0.5 + Math.random() / 2), signal)
  }
}

/** @returns the conflict, when somebody else was faster or holds the session */
async function tryToBegin<Found>(
  { store, key, runId, signal }: Claim,
  expectedVersion: number,
  { input, undo }: Beginning<Found>,
): Promise<AgentKitError | undefined> {
  // Until the end is stored, the next run must see to it: the store may grant what it could not tell.
  leftovers(store).set(keyText(key), { runId, ...undo })
  const granted = (async () => store.begin(key, { runId, expectedVersion, input }))()
  try {
    await untilAborted(signal, granted)
    leftovers(store).set(keyText(key), { runId, status: 'failed' })
    return undefined
  } catch (error) {
    if (isAgentKitError(error) && error.code === 'session-conflict') {
      forgetLeftover(store, key, runId)
      return error
    }
    // What is granted after an abort is given back at once, for the sake of other processes.
    granted
      .then(() => store.end(runId, undo.status, undo.usage))
      .then(() => forgetLeftover(store, key, runId))
      .catch(() => {})
    throw error
  }
}

/** Runs that the store could not end, by session: while they stand, no other run can begin. */
const leftovers = perStore<Ending & { runId: string }>()

async function endLeftover(store: SessionStore, key: SessionKey): Promise<void> {
  const leftover = leftovers(store).get(keyText(key))
  if (!leftover) return
  const { runId, status, usage } = leftover
  await store.end(runId, status, usage).catch((error) => {
    // It has been ended or taken over meanwhile: what was wanted.
    if (!isAgentKitError(error) || error.code !== 'session-conflict') throw error
  })
  forgetLeftover(store, key, runId)
}

/** To be called once the end of a run is stored. */
export function forgetLeftover(store: SessionStore, key: SessionKey, runId: string): void {
  // A later run may have noted itself meanwhile.
  if (leftovers(store).get(keyText(key))?.runId === runId) leftovers(store).delete(keyText(key))
}
