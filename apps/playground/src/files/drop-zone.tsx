import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isRecording } from '../debug/read-recording.ts'
import { openDialog } from '../store/dialogs.ts'
import { uploadFiles } from '../store/files.ts'
import { info } from '../store/server.ts'
import { t } from '../text/t.ts'

/** Takes files that are dropped or pasted anywhere: recordings go to the debugger. */
export function DropZone({ children }: { children: ComponentChildren }) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent): void => {
      const text = clipboardData?.getData('text/plain') ?? ''
      // Cells of a table come with a picture of them.
      const files = [...(clipboardData?.files ?? [])].filter(({ type }) => text === '' || !type.startsWith('image/'))
      if (files.length > 0) void take(files)
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
  }, [])
  return (
    <div
      class="drop-zone"
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        setOver(false)
        // A dropped text belongs to the field that it is dropped on.
        if (!event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        void take([...(event.dataTransfer?.files ?? [])])
      }}
    >
      {children}
      {isOver && <div class="drop-hint">{t('composer.drop')}</div>}
    </div>
  )
}

async function take(files: readonly File[]): Promise<void> {
  const [first] = files
  if (!first) return
  const mayUpload = info.value?.caller.upload ?? false
  // If the agent accepts no files, the debugger receives them and names the files that it accepts.
  const isForDebugger = !mayUpload || (files.length === 1 && (await isRecording(first)))
  if (isForDebugger) return openDialog({ type: 'debug', files })
  if (mayUpload) await uploadFiles(files)
}
