import { DebugDialog } from '../debug/debug-dialog.tsx'
import { FilesDialog } from '../files/files-dialog.tsx'
import { PassageDialog } from '../files/passage-dialog.tsx'
import { dialogs } from '../store/dialogs.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { Palette } from './palette.tsx'

/** The open dialogs, each above the one before. */
export function Dialogs() {
  return (
    <>
      {dialogs.value.map((dialog) => {
        switch (dialog.type) {
          case 'files':
            return <FilesDialog key="files" />
          case 'debug':
            return <DebugDialog key="debug" {...dialog} />
          case 'palette':
            return <Palette key="palette" />
          case 'passage':
            return <PassageDialog key="passage" {...dialog} />
          case 'link':
            return <LinkDialog key="link" url={dialog.url} />
          case 'confirm':
            return <ConfirmDialog key="confirm" {...dialog} />
          default:
            return null
        }
      })}
    </>
  )
}
