import type { Problem } from '../api/problem.ts'
import { plainName } from '../run/format.ts'
import { focusMessage } from '../shell/focus.ts'
import { Icon } from '../shell/icons.tsx'
import { type Upload, uploads } from '../store/files.ts'
import { t } from '../text/t.ts'
import { fileStatus } from './file-status.ts'

/** Files on their way to the agent: how much of each is sent, and what became of it. */
export function Uploads() {
  if (uploads.value.length === 0) return null
  return (
    <ul class="uploads">
      {uploads.value.map((upload) => (
        <li key={upload.id} class={upload.problem ? 'bad' : ''}>
          <UploadState upload={upload} />
          <button
            type="button"
            class="icon-button"
            aria-label={t('composer.remove', { name: plainName(upload.name, 60) })}
            onClick={({ currentTarget }) => {
              const dialog = currentTarget.closest('dialog')
              uploads.value = uploads.value.filter(({ id }) => id !== upload.id)
              upload.stop?.()
              // The button goes with its file.
              if (dialog) dialog.querySelector('button')?.focus()
              else focusMessage()
            }}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}

function UploadState({ upload: { name: given, progress, detail, problem } }: { upload: Upload }) {
  const name = plainName(given, 80)
  if (problem) return <span role="alert">{reasonOf(problem, given)}</span>
  if (detail) {
    return (
      <span>
        {name}: {fileStatus(detail)}
      </span>
    )
  }
  if (progress < 1) {
    return (
      <span>
        {t('files.uploading', { name })}{' '}
        <progress aria-label={t('files.uploading', { name })} value={progress} max={1} />
      </span>
    )
  }
  return <span>{t('files.indexing', { name })}</span>
}

/** Why a file was not taken: of several, a server may not say which one. */
function reasonOf({ detail, requestId }: Problem, name: string): string {
  const reason = detail || t('fix.unreachable')
  const named = reason.includes(name) ? reason : `${plainName(name, 80)}: ${reason}`
  return requestId ? `${named} ${t('error.request', { id: requestId })}` : named
}
