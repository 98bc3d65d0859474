import { useEffect, useRef, useState } from 'preact/hooks'
import { type Problem, problemOf } from '../api/problem.ts'
import { requestJSON } from '../api/request.ts'
import type { PassageBody } from '../api/types.ts'
import { plainName } from '../run/format.ts'
import { Dialog } from '../shell/dialog.tsx'
import { Icon } from '../shell/icons.tsx'
import { addressOfFile, downloadFile, hasAddress } from '../store/files.ts'
import { callerQuery, info } from '../store/server.ts'
import { t } from '../text/t.ts'

type PassageDialogProps = { chunkId: string; file: string; quote: string }

/** The text of a file around a cited passage, which is marked. */
export function PassageDialog({ chunkId, file: path, quote }: PassageDialogProps) {
  const [passage, setPassage] = useState<PassageBody>()
  const [problem, setProblem] = useState<Problem>()
  const marked = useRef<HTMLElement>(null)
  useEffect(() => {
    const query = { ...callerQuery(), context: 1_000 }
    requestJSON<PassageBody>(`api/v1/passages/${encodeURIComponent(chunkId)}`, { query })
      .then(setPassage)
      .catch((error: unknown) => setProblem(problemOf(error)))
  }, [chunkId])
  useEffect(() => marked.current?.scrollIntoView({ block: 'center' }), [passage])
  const file = plainName(passage?.file ?? path)
  const { page, row, heading, before = '', after = '', stale } = passage ?? {}
  const place = [
    page && t('sources.page', { page: String(page) }),
    row && t('sources.row', { row: String(row) }),
    heading && plainName(heading),
  ].filter(Boolean)
  const name = passage?.file ?? path
  // Files of an agent that serves none have no address either.
  const isServed = (info.value?.accepts.files.length ?? 0) > 0 && hasAddress(name)
  return (
    <Dialog type="passage" title={file} isWide>
      <p class="fine">{place.join(' · ')}</p>
      {stale && <p class="card warning">{t('sources.stale')}</p>}
      {problem && (
        <p class="card warning">{t('sources.missing', { reason: problem.detail || t('fix.unreachable') })}</p>
      )}
      <p class="passage" tabIndex={0} role="group" aria-label={t('sources.passage')} dir="auto">
        {before}
        <mark ref={marked}>{(passage?.quote ?? quote).slice(0, 20_000)}</mark>
        {after}
      </p>
      {isServed && !problem && (
        <div class="actions end">
          <a
            class="button"
            href={addressOfFile(name)}
            download={name}
            onClick={(event) => {
              event.preventDefault()
              void downloadFile(name)
            }}
          >
            <Icon name="down" />
            {t('sources.download')}
          </a>
        </div>
      )}
    </Dialog>
  )
}
