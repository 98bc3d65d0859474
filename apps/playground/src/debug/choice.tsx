import { useEffect, useRef, useState } from 'preact/hooks'
import { requestJSON } from '../api/request.ts'
import type { ListedRun } from '../api/types.ts'
import { plainName } from '../run/format.ts'
import { callerQuery, info } from '../store/server.ts'
import { sessions } from '../store/sessions.ts'
import { hasText, language, t } from '../text/t.ts'

type ChoiceProps = {
  onFile(file: File): Promise<void>
  onRun(id: string, sessionId: string | null): Promise<void>
  onFailure(error: unknown): void
}

/** The runs of the server, and files: what can be debugged. */
export function Choice({ onFile, onRun, onFailure }: ChoiceProps) {
  const [runs, setRuns] = useState<readonly ListedRun[]>()
  const [next, setNext] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const keepsRuns = info.value?.caller.resume ?? false
  const load = async (after?: string): Promise<void> => {
    const query = { ...callerQuery(), limit: 50, after }
    const page = await requestJSON<{ runs: ListedRun[]; next: string | null }>('api/v1/runs', { query })
    setRuns((shown = []) => [...(after === undefined ? [] : shown), ...page.runs])
    setNext(page.next ?? undefined)
  }
  const loadMore = async (): Promise<void> => {
    await load(next)
    list.current?.querySelectorAll('button')[runs?.length ?? 0]?.focus()
  }
  useEffect(() => {
    if (keepsRuns) load().catch(onFailure)
  }, [keepsRuns])
  return (
    <>
      <p>{t('debug.intro')}</p>
      <div class="actions">
        <button type="button" class="primary" onClick={() => input.current?.click()}>
          {t('debug.file')}
        </button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={t('debug.file')}
          onChange={(event) => {
            const [chosen] = event.currentTarget.files ?? []
            if (chosen) void onFile(chosen)
            event.currentTarget.value = ''
          }}
        />
      </div>
      <h3>{t('debug.runs')}</h3>
      {(runs?.length === 0 || !keepsRuns) && <p class="fine">{t('debug.noRuns')}</p>}
      <ul class="files" ref={list}>
        {runs?.map((run) => (
          <li key={run.run_id}>
            <button type="button" class="plain grow" onClick={() => void onRun(run.run_id, run.session_id)}>
              <code>{run.run_id}</code>
              <span class="fine">
                {[titleOf(run), new Date(run.created_at).toLocaleString(language.value), statusOf(run)]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {next !== undefined && (
        <button type="button" class="plain" onClick={() => void loadMore().catch(onFailure)}>
          {t('sessions.more')}
        </button>
      )}
    </>
  )
}

/** The title of a conversation, if the list has it. */
function titleOf({ session_id }: ListedRun): string {
  return plainName(sessions.value.find((one) => one.session_id === session_id)?.title ?? '', 60)
}

function statusOf({ status }: ListedRun): string {
  const key = `status.${status}`
  return hasText(key) ? t(key) : status
}
