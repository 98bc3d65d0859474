import { computed, signal } from '@preact/signals'
import { newId } from '../api/new-id.ts'
import { type Problem, problemOf, requestIdOf } from '../api/problem.ts'
import { readEvents, silenceMs } from '../api/read-events.ts'
import { request, requestJSON } from '../api/request.ts'
import { pause } from '../run/follow-run.ts'
import { isContinuing } from '../run/view-of-turn.ts'
import { addressedId, showAddress } from './address.ts'
import { announceTurn } from './announce.ts'
import { drive, followTurn } from './follow-turn.ts'
import { hideDecided, maxTurns, readRun, readTurns } from './runs.ts'
import { callerQuery, info } from './server.ts'
import { loadSessions } from './sessions.ts'
import { isRunning, isWaiting, newTurn, receive, redraw, type ShownTurn, storedTurn } from './turn.ts'

/** How many of the newest turns are looked at for one that was asked elsewhere. */
const maxMissed = 9
const listAfterMs = 1_000
/** How often a run is read that keeps no events. */
const pollMs = 2_000

export const sessionId = signal('')
export const turns = signal<readonly ShownTurn[]>([])
/** The `before` of the turns before those on the page. */
export const previous = signal<string | undefined>(undefined)
/** Why the conversation could not be read. */
export const historyProblem = signal<Problem | undefined>(undefined)
export const isLoading = signal(false)

/** The text of the message that is not sent yet. */
export const draft = signal('')

/** The turn whose run continues. */
export const running = computed(() => turns.value.findLast(isRunning))

export function newChat(): void {
  leave()
  sessionId.value = newId()
  history.pushState(null, '', location.pathname + location.search)
}

/** Shows the conversation that the address names, or an empty one. */
export function openAddress(): void {
  const id = addressedId()
  if (id !== '') return void openSession(id)
  leave()
  sessionId.value = newId()
}

export async function openSession(id: string): Promise<void> {
  leave()
  sessionId.value = id
  showAddress(sessionId.value)
  await loadTurns()
}

export async function loadTurns(before?: string): Promise<void> {
  const id = sessionId.value
  isLoading.value = true
  historyProblem.value = undefined
  try {
    const page = await readTurns(id, { limit: maxTurns, before })
    // Another conversation is shown by now, or another call has read the same turns.
    if (sessionId.value !== id || (before && before !== previous.value)) return
    // A turn that is followed stays, with what the reader has opened and written in it.
    const kept = turns.value.filter((turn) => turn.keepsEvents && turn.hasSteps.value && !turn.problem.value)
    const read = page.turns.map((body) => kept.find(({ view }) => view.runId === body.run_id) ?? storedTurn(body))
    if (before === undefined) turns.value.filter((turn) => !read.includes(turn)).forEach(unfollow)
    turns.value = before === undefined ? read : [...read, ...turns.value]
    previous.value = page.previous ?? undefined
    unfollowWaiting(read.slice(0, -1))
    // Of the runs that continue, two are followed at once: a browser has six connections to a server.
    const first = read.find(({ view }) => view.isOpen)
    const last = before === undefined ? read.at(-1) : undefined
    for (const turn of new Set([first, last])) if (turn && !turn.hasSteps.value) void followStored(turn)
  } catch (error) {
    if (sessionId.value === id) historyProblem.value = problemOf(error)
  } finally {
    if (sessionId.value === id) isLoading.value = false
  }
}

/** Follows a run of the history that continues, or on which a person may decide elsewhere. */
async function followStored(turn: ShownTurn): Promise<void> {
  const { view, keepsEvents, controller } = turn
  const { signal } = controller
  if (view.isOpen) announceTurn(turn)
  else if (!keepsEvents || view.approvals.length === 0) return
  if (keepsEvents) await followTurn(turn)
  else {
    // No event reports its end. Where it cannot be read, the conversation shows the reason.
    do await pause(pollMs, signal)
    while (!signal.aborted && (await readRun(view.runId).then(isContinuing, () => false)))
  }
  const hasMore = turns.value.some((one) => one.view.isOpen && !one.hasSteps.value)
  if (hasMore && !signal.aborted && !turn.problem.value) await loadTurns()
}

/** Reads the conversation again when something was asked elsewhere, as in another tab, or all of it deleted. */
export async function showNewTurns(): Promise<void> {
  const id = sessionId.value
  turns.value.forEach(refresh)
  // A question that has failed to be sent is on the page alone.
  const isBusy = (): unknown => isLoading.value || running.value || turns.value.some(({ problem }) => problem.value)
  // The next request that the reader makes shows why one fails.
  const newest = await readTurns(id, { limit: maxMissed }).catch(() => undefined)
  if (!newest || sessionId.value !== id || isBusy()) return
  const shown = turns.value.map(({ view }) => view.runId)
  // It was deleted; without stored runs its server may have been started again, and the page alone still has it.
  const isGone = newest.turns.length === 0 && shown.length > 0 && info.value?.caller.resume
  if (isGone || newest.turns.some(({ run_id }) => !shown.includes(run_id))) await loadTurns()
}

/** Shows what has become elsewhere of a run that is not followed, or whose connection was lost for too long. */
async function refresh(turn: ShownTurn): Promise<void> {
  const run = await hideDecided(turn)
  if (run && run.status !== 'waiting' && !turn.hasSteps.value) await followTurn(turn)
}

export type Question = { text: string; replaces?: ShownTurn }

/** Sends a question, and shows its answer while it comes. */
export async function ask({ text, replaces }: Question): Promise<void> {
  const keepsEvents = info.value?.caller.resume ?? false
  const turn = newTurn(text, { keepsEvents, speaker: info.value?.speaker })
  // The server may have the question whose connection was lost: it is sent again, not asked again.
  if (replaces && isUnanswered(replaces) && replaces.question === text) turn.id = replaces.id
  const at = replaces ? turns.value.indexOf(replaces) : -1
  const kept = at < 0 ? turns.value : turns.value.slice(0, at)
  turns.value.slice(kept.length).forEach(unfollow)
  unfollowWaiting(kept)
  if (kept.length >= maxTurns) previous.value = kept.at(1 - maxTurns)?.view.runId
  turns.value = [...kept.slice(1 - maxTurns), turn]
  announceTurn(turn)
  // The reader may open another conversation while it is sent.
  const place = { ...callerQuery(), session_id: sessionId.value }
  const answered = drive(turn, async () => {
    turn.replaces = await replacedRun(replaces)
    const answer = request('api/v1/chat_stream', {
      method: 'POST',
      signal: turn.controller.signal,
      // A browser repeats a request whose connection was closed. A run without events would not end with its client.
      headers: { ...(keepsEvents && { 'idempotency-key': turn.id }) },
      json: {
        ...place,
        messages: [{ role: 'user', content: text }],
        resumable: keepsEvents,
        replaces: turn.replaces,
      },
    }).finally(() => turn.isLeft && turn.controller.abort())
    const response = await answer.catch((error: unknown) => {
      // The question was sent twice, and is being answered: the run is followed.
      const { code, runId = '' } = problemOf(error)
      if (code === 'session-busy') turn.view.runId = runId
      throw error
    })
    turn.view.runId = response.headers.get('x-run-id') ?? ''
    turn.requestId = requestIdOf(response)
    turn.isSending.value = false
    redraw(turn)
    if (turn.isStopping) void stop(turn)
    if (turn.isLeft) void showNewTurns()
    // The first words do not wait for the list.
    setTimeout(loadSessions, listAfterMs)
    await readEvents(response, (event) => receive(turn, event), keepsEvents ? silenceMs : undefined)
  })
  showAddress(sessionId.value)
  await answered
  turn.view.runId ||= turn.problem.value?.runId ?? ''
  // A question that was not accepted is written when the reader has signed in again.
  if (turn.problem.value?.status === 401 && turn.view.runId === '') draft.value = text
}

/** Whether a question has no run that the page knows, and may have one: of no answer, or of that of a proxy. */
function isUnanswered({ problem, view }: ShownTurn): boolean {
  const { status = 400 } = problem.value ?? {}
  return view.runId === '' && (status < 400 || status >= 500)
}

/**
 * The run that is replaced with a turn. A run that has failed before its first step may not be part of the
 * conversation: then the run that it was to replace is still there.
 */
async function replacedRun(turn: ShownTurn | undefined): Promise<string | undefined> {
  if (!turn) return undefined
  const { id, view, replaces } = turn
  const { runId } = view
  if (runId === '') return replaces
  // A turn of the history has the id of its run.
  if (id === runId || view.agents.some(({ entries }) => entries.length > 0)) return runId
  const { turns: stored } = await readTurns(sessionId.value, { limit: maxTurns })
  return stored.some(({ run_id }) => run_id === runId) ? runId : replaces
}

/** Ends the run of a turn. Its text stays. */
export async function stop(turn: ShownTurn): Promise<void> {
  const { runId } = turn.view
  if (!info.value?.caller.resume || runId === '') {
    // A run that outlives its client is cancelled as soon as it has an id.
    if (turn.keepsEvents) turn.isStopping = true
    else endHere(turn)
    turn.view.isOpen = false
    turn.isSending.value = false
    turn.endedAt = Date.now()
    return redraw(turn)
  }
  try {
    await requestJSON(`api/v1/runs/${encodeURIComponent(runId)}/cancel`, { method: 'POST', query: callerQuery() })
    // No event reports the cancellation.
    if (!turn.keepsEvents) await loadTurns()
  } catch (error) {
    turn.problem.value = problemOf(error)
  }
}

/** Ends a run by leaving its stream: no event of it says how it has ended. */
function endHere({ controller, view }: ShownTurn): void {
  controller.abort()
  view.end ??= {
    type: 'run-end',
    seq: view.seq,
    runId: view.runId,
    path: [],
    finishReason: 'aborted',
    text: '',
    usage: {},
  }
}

/** Runs that keep their events continue; the page no longer follows them. A question that is on its way arrives first. */
function unfollow(turn: ShownTurn): void {
  turn.isLeft = turn.keepsEvents && turn.view.runId === '' && !turn.problem.value
  if (!turn.isLeft) turn.controller.abort()
  turn.hasSteps.value = false
}

/** A browser has six connections to a server: a run that waits is followed again once it is decided. */
function unfollowWaiting(earlier: readonly ShownTurn[]): void {
  earlier.filter((turn) => turn.keepsEvents && isWaiting(turn)).forEach(unfollow)
}

function leave(): void {
  turns.value.forEach(unfollow)
  turns.value = []
  previous.value = undefined
  historyProblem.value = undefined
  isLoading.value = false
}
