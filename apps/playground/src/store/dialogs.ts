import { signal } from '@preact/signals'

export type Dialog =
  | { type: 'files' }
  | { type: 'debug'; runId?: string; file?: File }
  | { type: 'palette' }
  | { type: 'passage'; chunkId: string; file: string; quote: string }
  | { type: 'link'; url: string }
  | { type: 'confirm'; title: string; text: string; action: string; onConfirm(): Promise<void> | void }

/** The dialogs that are open, the last on top. */
export const dialogs = signal<readonly Dialog[]>([])

export const isMenuOpen = signal(false)

export function openDialog(dialog: Dialog): void {
  dialogs.value = [...dialogs.value.filter(({ type }) => type !== dialog.type && type !== 'palette'), dialog]
}

export function closeDialog(type: Dialog['type']): void {
  dialogs.value = dialogs.value.filter((dialog) => dialog.type !== type)
}
