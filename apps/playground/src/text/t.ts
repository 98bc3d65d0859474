import { computed, effect, signal } from '@preact/signals'
import { de } from './de.ts'
import { en, type TextKey, type Texts } from './en.ts'

const tables = { en, de } satisfies Record<string, Texts>
export type Language = keyof typeof tables
export const languages: Record<Language, string> = { en: 'English', de: 'Deutsch' }

const key = 'agentkit.language'

/** The language that was chosen; the system's where none was. */
const chosenLanguage = signal<Language | undefined>(read())

export const language = computed<Language>(() => chosenLanguage.value ?? systemLanguage())

effect(() => {
  document.documentElement.lang = language.value
})

export function chooseLanguage(chosen: Language): void {
  chosenLanguage.value = chosen
  try {
    localStorage.setItem(key, chosen)
  } catch {
    // The language is not stored: it holds for this page only.
  }
}

/** A text in the language of the page. */
export function t(name: TextKey, values: Record<string, string> = {}): string {
  return tables[language.value][name].replace(/\{(\w+)\}/g, (_, field: string) => values[field] ?? '')
}

/** Whether there is such a text: some keys end with a code of the server, which may be newer than the page. */
export function hasText(name: string): name is TextKey {
  return Object.hasOwn(en, name)
}

function systemLanguage(): Language {
  for (const preferred of navigator.languages) {
    const [name = ''] = preferred.toLowerCase().split('-')
    if (isLanguage(name)) return name
  }
  return 'en'
}

function read(): Language | undefined {
  try {
    const stored = localStorage.getItem(key) ?? ''
    return isLanguage(stored) ? stored : undefined
  } catch {
    return undefined
  }
}

function isLanguage(name: string): name is Language {
  return Object.hasOwn(tables, name)
}
