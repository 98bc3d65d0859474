import { signal } from '@preact/signals'
import { type Problem, problemOf } from '../api/problem.ts'
import { requestDeletion, requestJSON } from '../api/request.ts'
import type { SessionBody } from '../api/types.ts'
import { callerQuery } from './server.ts'

export const sessions = signal<readonly SessionBody[]>([])
export const search = signal('')
export const nextSession = signal<string | undefined>(undefined)
export const sessionsProblem = signal<Problem | undefined>(undefined)

let latest = 0

const pageSize = 30
/** The most that the server lists at once. */
const maxListed = 1_000

/** Lists the conversations of another user. */
export function startList(): void {
  sessions.value = []
  nextSession.value = undefined
  void loadSessions()
}

/** Reads the conversations that have the searched text: the first page, or as many as are shown. */
export async function loadSessions(): Promise<void> {
  const request = ++latest
  try {
    const page = await readPage({ limit: Math.min(maxListed, Math.max(pageSize, sessions.value.length)) })
    // An earlier answer that comes later is out of date.
    if (request !== latest) return
    sessions.value = page.sessions
    nextSession.value = page.next ?? undefined
    sessionsProblem.value = undefined
  } catch (error) {
    if (request === latest) reportProblem(error)
  }
}

export async function loadMoreSessions(): Promise<void> {
  const request = ++latest
  try {
    const page = await readPage({ limit: pageSize, before: nextSession.value })
    if (request !== latest) return
    sessions.value = [...sessions.value, ...page.sessions]
    nextSession.value = page.next ?? undefined
  } catch (error) {
    if (request === latest) reportProblem(error)
  }
}

/** Shows a failure above the list. */
export function reportProblem(error: unknown): void {
  sessionsProblem.value = problemOf(error)
}

type Page = { limit: number; before?: string | undefined }

function readPage(page: Page): Promise<{ sessions: SessionBody[]; next: string | null }> {
  const q = search.value.trim().slice(0, 200)
  return requestJSON('api/v1/sessions', { query: { ...callerQuery(), ...page, q: q || undefined } })
}

export async function renameSession({ session_id }: SessionBody, title: string): Promise<void> {
  await requestJSON(`api/v1/sessions/${encodeURIComponent(session_id)}`, {
    method: 'PATCH',
    json: { ...callerQuery(), title },
  })
  await loadSessions()
}

export async function deleteSession({ session_id }: SessionBody): Promise<void> {
  await requestDeletion(`api/v1/sessions/${encodeURIComponent(session_id)}`, callerQuery())
  await loadSessions()
}
