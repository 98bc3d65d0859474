import { computed, signal } from '@preact/signals'
import { type Problem, problemOf } from '../api/problem.ts'
import { requestJSON } from '../api/request.ts'
import { forgetToken } from '../api/session-token.ts'
import type { ClosedInfo, Info } from '../api/types.ts'
import { userId } from './settings.ts'

export type ServerState =
  | { type: 'loading' }
  | { type: 'login'; name: string }
  | { type: 'ready'; info: Info }
  | { type: 'failed'; problem: Problem }

export const server = signal<ServerState>({ type: 'loading' })

/** The server's description of the agent, once it is loaded. */
export const info = computed(() => (server.value.type === 'ready' ? server.value.info : undefined))

/** Loads the description of the agent, and whether a token is needed. The request itself needs none. */
export async function loadServer(): Promise<void> {
  server.value = { type: 'loading' }
  try {
    const answer = await requestJSON<Info | ClosedInfo>('api/v1/info')
    server.value = answer.id === undefined ? { type: 'login', name: answer.name } : { type: 'ready', info: answer }
    document.title = answer.name
  } catch (error) {
    const problem = problemOf(error)
    // The token was forgotten: the next question is without it.
    if (problem.status === 401) return loadServer()
    server.value = { type: 'failed', problem }
  }
}

/** Shows the login field, and nothing of what the page knows of the user. */
export function signOut(): void {
  forgetToken()
  location.reload()
}

/** The `user_id` of a request, where it must name one. */
export function callerQuery(): { user_id?: string } {
  return info.value?.caller.any_user ? { user_id: userId.value } : {}
}
