import { signal } from '@preact/signals'

export type Dialog =
  | { type: 'files' }
  | { type: 'debug'; runId?: string; files?: readonly File[] }
  | { type: 'palette' }
  | { type: 'passage'; chunkId: string; file: string; quote: string }
  | { type: 'link'; url: string }
  | { type: 'confirm'; title: string; text: string; action: string; onConfirm(): Promise<void> | void }

/** The dialogs that are open, the last on top. Each opening has a key of its own. */
export const dialogs = signal<readonly (Dialog & { key: number })[]>([])
let openings = 0

export const isMenuOpen = signal(false)

export function openDialog(dialog: Dialog): void {
  const others = dialogs.value.filter(({ type }) => type !== dialog.type && type !== 'palette')
  dialogs.value = [...others, { ...dialog, key: ++openings }]
}

export function closeDialog(type: Dialog['type']): void {
  dialogs.value = dialogs.value.filter((dialog) => dialog.type !== type)
}
