import type { Citation } from '@agentkit/core'
import { plainName } from '../run/format.ts'
import { openSession } from '../store/chat.ts'
import { openDialog } from '../store/dialogs.ts'
import { language, t } from '../text/t.ts'

const maxShown = 50

/** The passages that an answer is based on, each to be opened; an earlier turn opens its conversation. `count` changes when `sources` has grown. */
export function SourceChips({ sources }: { sources: readonly Citation[]; count: number }) {
  if (sources.length === 0) return null
  return (
    <ul class="chips sources" aria-label={t('sources.title')}>
      {sources.slice(0, maxShown).map(({ file: path, chunkId, quote, page, row, session }, index) => {
        const file = session ? conversationOf(session.at) : plainName(path, 80)
        const place = page
          ? t('sources.page', { page: String(page) })
          : row
            ? t('sources.row', { row: String(row) })
            : ''
        return (
          <li key={`${chunkId}${path}`}>
            <button
              type="button"
              class="chip"
              aria-label={`${t('sources.open', { number: String(index + 1), file })}${place && `, ${place}`}`}
              title={session && plainName(quote, 200)}
              onClick={() =>
                session
                  ? void openSession(session.sessionId)
                  : openDialog({ type: 'passage', chunkId, file: path, quote })
              }
            >
              <span class="number">{index + 1} </span>
              <span dir="auto">{file} </span>
              {place && <span class="fine">{place}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function conversationOf(at: string): string {
  return t('sources.conversation', { date: new Date(at).toLocaleDateString(language.value) })
}
