import { signal } from '@preact/signals'
import { type Problem, problemOf } from '../api/problem.ts'
import { request, requestJSON } from '../api/request.ts'
import type { SessionBody } from '../api/types.ts'
import { callerQuery } from './server.ts'

export const sessions = signal<readonly SessionBody[]>([])
export const search = signal('')
export const nextSession = signal<string | undefined>(undefined)
export const sessionsProblem = signal<Problem | undefined>(undefined)

let latest = 0

/** Reads the first page of the conversations that have the searched text. */
export async function loadSessions(): Promise<void> {
  const request = ++latest
  try {
    const page = await readPage(undefined)
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
    const page = await readPage(nextSession.value)
    if (request !== latest) return
    sessions.value = [...sessions.value, ...page.sessions]
    nextSession.value = page.next ?? undefined
  } catch (error) {
    if (request === latest) reportProblem(error)
  }
}

/** Shows above the list what has failed. */
export function reportProblem(error: unknown): void {
  sessionsProblem.value = problemOf(error)
}

function readPage(before: string | undefined): Promise<{ sessions: SessionBody[]; next: string | null }> {
  const q = search.value.trim().slice(0, 200)
  return requestJSON('api/v1/sessions', { query: { ...callerQuery(), limit: 30, q: q || undefined, before } })
}

export async function renameSession({ session_id }: SessionBody, title: string): Promise<void> {
  await requestJSON(`api/v1/sessions/${encodeURIComponent(session_id)}`, {
    method: 'PATCH',
    json: { ...callerQuery(), title },
  })
  await loadSessions()
}

export async function deleteSession({ session_id }: SessionBody): Promise<void> {
  await request(`api/v1/sessions/${encodeURIComponent(session_id)}`, { method: 'DELETE', query: callerQuery() })
  await loadSessions()
}
