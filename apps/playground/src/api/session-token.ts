import { signal } from '@preact/signals'

const key = 'agentkit.token'

/** The token of this tab: kept for this origin until the tab is closed, and never part of an address. */
export const sessionToken = signal<string>(read())

/** Whether the server has refused the token. */
export const isRefused = signal(false)

export function keepToken(token: string): void {
  isRefused.value = false
  sessionToken.value = token
  try {
    sessionStorage.setItem(key, token)
  } catch {
    // If storage is blocked, the token is kept only as long as the page.
  }
}

/** Forgets a token that the server has refused, unless another one was given meanwhile. */
export function dropToken(token: string): void {
  if (token !== sessionToken.value) return
  isRefused.value = token !== ''
  forgetToken()
}

export function forgetToken(): void {
  sessionToken.value = ''
  try {
    sessionStorage.removeItem(key)
  } catch {
    // Nothing was kept.
  }
}

function read(): string {
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}
