import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const themes: readonly Theme[] = ['system', 'light', 'dark']

export const theme = signal<Theme>(themes.find((one) => one === read('agentkit.theme')) ?? 'system')

/** The user of the requests, where the caller may act for any. */
export const userId = signal(read('agentkit.user') ?? 'default')

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
})

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen
  keep('agentkit.theme', chosen)
}

export function chooseUser(id: string): void {
  userId.value = id
  keep('agentkit.user', id)
}

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // The setting is not stored: it holds for this page only.
  }
}
