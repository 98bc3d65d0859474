import { useEffect, useRef, useState } from 'preact/hooks'
import { formatBytes, plainName } from '../run/format.ts'
import { Dialog } from '../shell/dialog.tsx'
import { Icon } from '../shell/icons.tsx'
import { ProblemCard } from '../shell/problem-card.tsx'
import { openDialog } from '../store/dialogs.ts'
import { deleteFile, downloadFile, files, filesProblem, hasAddress, loadFiles, uploadFiles } from '../store/files.ts'
import { info } from '../store/server.ts'
import { t } from '../text/t.ts'
import { fileStatus } from './file-status.ts'
import { Uploads } from './uploads.tsx'

/** How many are listed at once. */
const pageSize = 500

/** The files that the agent answers from. */
export function FilesDialog() {
  useEffect(() => void loadFiles(), [])
  const [max, setMax] = useState(pageSize)
  const input = useRef<HTMLInputElement>(null)
  const { accepts, caller } = info.value ?? {}
  const mayChange = caller?.upload ?? false
  const remove = (name: string): void => {
    openDialog({
      type: 'confirm',
      title: t('files.deleteTitle'),
      text: t('files.deleteText', { name: plainName(name, 80) }),
      action: t('sessions.delete'),
      onConfirm: () => deleteFile(name),
    })
  }
  return (
    <Dialog type="files" title={t('files.title')}>
      {mayChange && (
        <>
          <div class="actions">
            <button type="button" class="primary" onClick={() => input.current?.click()}>
              <Icon name="plus" />
              {t('files.add')}
            </button>
            <input
              ref={input}
              type="file"
              multiple
              hidden
              aria-label={t('files.add')}
              accept={accepts?.files.join(',')}
              onChange={(event) => {
                void uploadFiles([...(event.currentTarget.files ?? [])])
                event.currentTarget.value = ''
              }}
            />
          </div>
          <p class="fine">
            {t('files.dropHere')} {t('files.accepts', { types: accepts?.files.join(' ') ?? '' })}
          </p>
          <Uploads />
        </>
      )}
      {filesProblem.value && <ProblemCard problem={filesProblem.value} />}
      {files.value?.length === 0 && <p class="fine">{t('files.none')}</p>}
      <ul class="files">
        {files.value?.slice(0, max).map((file) => (
          <li key={file.name}>
            <span class="grow">
              <span class="wrap" dir="auto">
                {plainName(file.name)}
              </span>
              <span class="fine">
                {formatBytes(file.size)} · {fileStatus(file)}
              </span>
            </span>
            {hasAddress(file.name) && (
              <button
                type="button"
                class="icon-button"
                aria-label={t('files.downloadOf', { name: plainName(file.name, 80) })}
                onClick={() => void downloadFile(file.name)}
              >
                <Icon name="down" />
              </button>
            )}
            {mayChange && hasAddress(file.name) && (
              <button
                type="button"
                class="icon-button"
                aria-label={t('files.deleteOf', { name: plainName(file.name, 80) })}
                onClick={() => remove(file.name)}
              >
                <Icon name="trash" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {(files.value?.length ?? 0) > max && (
        <button
          type="button"
          class="plain"
          onClick={({ currentTarget }) => {
            setMax(max + pageSize)
            // The button may go with the last files.
            currentTarget.closest('dialog')?.querySelector('button')?.focus({ preventScroll: true })
          }}
        >
          {t('sessions.more')}
        </button>
      )}
    </Dialog>
  )
}
