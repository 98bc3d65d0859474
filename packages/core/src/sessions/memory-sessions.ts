import type { SessionStore } from '../contracts/session-store.ts'
import { checkSessionKey } from '../data/check-id.ts'
import { AgentKitError } from '../data/errors.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { Session, SessionInfo, SessionKey, Turn } from '../data/session-data.ts'
import { cutTitle, foldCase, plainText } from '../data/session-text.ts'
import { visibleMessages } from '../data/transcript.ts'
import { memoryInMemory } from './memory-in-memory.ts'
import { checkLimit, sessionFrom } from './session-from.ts'
import { keyText } from './session-queue.ts'

type StoredTurn = Turn & { visible: readonly Message[]; endedAt?: number }
type StoredSession = {
  key: SessionKey
  title?: string
  version: number
  state?: JSONValue
  turns: StoredTurn[]
  running: StoredTurn | undefined
  createdAt: string
  updatedAt: string
}

/**
 * Sessions in memory: gone with the process. Stored messages are frozen copies, so history cannot be changed.
 *
 * @example
 * const agent = new Agent({ name: 'Notes', functions: [], model, sessions: memorySessions() })
 */
export function memorySessions(): SessionStore {
  const sessions = new Map<string, StoredSession>()
  const runs = new Map<string, { session: StoredSession; turn: StoredTurn }>()

  /** The sessions are in the order of their use: many may be used within a millisecond. */
  const moveLast = (session: StoredSession): void => {
    sessions.delete(keyText(session.key))
    sessions.set(keyText(session.key), session)
  }
  const requireRunning = (runId: string): { session: StoredSession; turn: StoredTurn } => {
    const run = runs.get(runId)
    if (run?.turn.status === 'running') return run
    throw conflict(`The run ${runId} does not hold its session (any more).`)
  }

  return {
    memory: memoryInMemory(runs),

    async load(key, options) {
      checkSessionKey(key)
      const session = sessions.get(keyText(key))
      if (!session) return undefined
      const loaded: Session = { version: session.version, messages: session.turns.flatMap((turn) => turn.visible) }
      if (session.state !== undefined) loaded.state = session.state
      return sessionFrom(loaded, options)
    },

    async begin(key, { runId, expectedVersion, input, replaces }) {
      checkSessionKey(key)
      const known = sessions.get(keyText(key))
      if ((known?.version ?? 0) !== expectedVersion) {
        throw conflict('The session has moved on. Load it again.', true)
      }
      if (known?.running) throw conflict('Another run holds the session.', true)
      const now = new Date().toISOString()
      const session = known ?? {
        key: { ...key },
        version: 0,
        turns: [],
        running: undefined,
        createdAt: now,
        updatedAt: now,
      }
      const used = runs.get(runId)
      if (used && !(used.session === session && used.turn.status === 'waiting' && input.length === 0)) {
        throw conflict(`There is a run ${runId} already.`)
      }
      if (replaces !== undefined) hideFrom(known, replaces, runs)
      const turn = used?.turn ?? { runId, messages: frozen(input), status: 'running', createdAt: now, visible: [] }
      if (!used) session.turns.push(turn)
      turn.status = 'running'
      turn.visible = []
      moveLast(session)
      session.running = turn
      session.version++
      session.updatedAt = now
      runs.set(runId, { session, turn })
    },

    async append(runId, messages, state) {
      const { session, turn } = requireRunning(runId)
      turn.messages.push(...frozen(messages))
      if (state === undefined) return
      session.state = frozen(state)
      turn.state = session.state
    },

    async end(runId, status, usage) {
      const { session, turn } = requireRunning(runId)
      session.running = undefined
      turn.status = status
      turn.endedAt = Date.now()
      if (usage) turn.usage = { ...usage }
      turn.visible = frozenList(visibleMessages(turn))
      session.version++
      session.updatedAt = new Date().toISOString()
      moveLast(session)
    },

    async find(runId) {
      const run = runs.get(runId)
      return run && publicTurn(run.turn)
    },

    async turns(key, { after, limit = Number.POSITIVE_INFINITY } = {}) {
      checkSessionKey(key)
      checkLimit(limit)
      const turns = sessions.get(keyText(key))?.turns ?? []
      const last = after === undefined ? -1 : turns.findIndex((turn) => turn.runId === after)
      if (after !== undefined && last === -1) return []
      return turns.slice(last + 1, last + 1 + limit).map(publicTurn)
    },

    async list({ agentId, userId }, { q, limit = Number.POSITIVE_INFINITY, before } = {}) {
      checkSessionKey({ userId })
      checkLimit(limit)
      const own = [...sessions.values()].filter(({ key }) => key.agentId === agentId && key.userId === userId)
      own.reverse().sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
      const last = before === undefined ? -1 : own.findIndex(({ key }) => key.sessionId === before)
      if (before !== undefined && last === -1) return []
      const found =
        q === undefined ? own.slice(last + 1) : own.slice(last + 1).filter((session) => contains(session, q))
      return found.slice(0, limit).map(infoOf)
    },

    async rename(key, title) {
      checkSessionKey(key)
      const session = sessions.get(keyText(key))
      if (!session) throw new AgentKitError('not-found', `There is no session "${key.sessionId}".`)
      session.title = title
    },

    async delete(key) {
      checkSessionKey(key)
      const session = sessions.get(keyText(key))
      sessions.delete(keyText(key))
      for (const { runId } of session?.turns ?? []) runs.delete(runId)
    },

    async close() {},
  }
}

/** Hides a run of the session, every later one, and the turns of their members. */
function hideFrom(
  session: StoredSession | undefined,
  runId: string,
  runs: ReadonlyMap<string, { session: StoredSession; turn: StoredTurn }>,
): void {
  const from = session?.turns.findIndex((turn) => turn.runId === runId && turn.status !== 'replaced') ?? -1
  if (!session || from === -1) throw new AgentKitError('not-found', `There is no run ${runId} in this session.`)
  const replaced = session.turns.slice(from)
  for (const turn of replaced) hide(turn)
  for (const { session: other, turn } of runs.values()) {
    if (!replaced.some((run) => turn.runId.startsWith(`${run.runId}/`))) continue
    hide(turn)
    other.version++
  }
  const state = session.turns.findLast((turn) => turn.status !== 'replaced' && turn.state !== undefined)?.state
  if (state === undefined) delete session.state
  else session.state = state
}

function hide(turn: StoredTurn): void {
  turn.status = 'replaced'
  turn.visible = []
}

function infoOf(session: StoredSession): SessionInfo {
  const { key, createdAt, updatedAt, turns, running } = session
  const count = turns.filter(({ status }) => status !== 'replaced').length
  const active = running ? { activeRunId: running.runId } : {}
  return { sessionId: key.sessionId, title: titleOf(session), createdAt, updatedAt, turns: count, ...active }
}

function titleOf({ title, turns }: StoredSession): string {
  if (title !== undefined) return title
  const shown = turns.filter(({ status }) => status !== 'replaced')
  const first = shown.flatMap(({ messages }) => messages).find(({ role }) => role === 'user')
  return first ? cutTitle(plainText(first)) : ''
}

function contains(session: StoredSession, q: string): boolean {
  const wanted = foldCase(q)
  if (foldCase(titleOf(session)).includes(wanted)) return true
  const shown = session.turns.filter(({ status }) => status !== 'replaced').flatMap(({ messages }) => messages)
  return shown.some((message) => foldCase(plainText(message)).includes(wanted))
}

function conflict(message: string, retryable = false): AgentKitError {
  return new AgentKitError('session-conflict', message, { retryable })
}

function publicTurn({ visible: _visible, endedAt: _endedAt, ...turn }: StoredTurn): Turn {
  return { ...turn, messages: [...turn.messages], ...(turn.usage ? { usage: { ...turn.usage } } : {}) }
}

/** A frozen copy. The list itself may grow. */
function frozen<Value extends JSONValue | Message[]>(value: Value): Value {
  const copy: Value = JSON.parse(JSON.stringify(value))
  if (Array.isArray(copy)) return frozenList(copy)
  deepFreeze(copy)
  return copy
}

function frozenList<List extends unknown[]>(list: List): List {
  for (const item of list) deepFreeze(item)
  return list
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const child of Object.values(value)) deepFreeze(child)
  Object.freeze(value)
}
