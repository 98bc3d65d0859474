import { DebugDialog } from './debug/debug-dialog.tsx'
import { FilesDialog } from './files/files-dialog.tsx'
import { PassageDialog } from './files/passage-dialog.tsx'
import { ConfirmDialog } from './shell/confirm-dialog.tsx'
import { LinkDialog } from './shell/link-dialog.tsx'
import { Palette } from './shell/palette.tsx'
import { type Dialog, dialogs } from './store/dialogs.ts'

/** The open dialogs, each above the previous one. */
export function Dialogs() {
  return (
    <>
      {dialogs.value.map(({ key, ...dialog }) => (
        <DialogOfType key={key} dialog={dialog} />
      ))}
    </>
  )
}

function DialogOfType({ dialog }: { dialog: Dialog }) {
  switch (dialog.type) {
    case 'files':
      return <FilesDialog />
    case 'debug':
      return <DebugDialog {...dialog} />
    case 'palette':
      return <Palette />
    case 'passage':
      return <PassageDialog {...dialog} />
    case 'link':
      return <LinkDialog url={dialog.url} />
    case 'confirm':
      return <ConfirmDialog {...dialog} />
    default:
      return null
  }
}
