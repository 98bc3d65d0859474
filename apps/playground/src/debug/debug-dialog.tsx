import { useEffect, useRef, useState } from 'preact/hooks'
import { problemOf, RequestError } from '../api/problem.ts'
import { requestJSON } from '../api/request.ts'
import type { ListedRun, TurnBody } from '../api/types.ts'
import { plainName } from '../run/format.ts'
import { Dialog } from '../shell/dialog.tsx'
import { callerQuery, info } from '../store/server.ts'
import { hasText, language, t } from '../text/t.ts'
import { readRunEvents } from '../work/transcript.ts'
import { CassetteView } from './cassette-view.tsx'
import { type Recording, readRecording } from './read-recording.ts'
import { Stepper } from './stepper.tsx'

/** Steps through a run, a transcript or a cassette. */
export function DebugDialog({ runId, file }: { runId?: string; file?: File }) {
  const [recording, setRecording] = useState<Recording>()
  const [problem, setProblem] = useState('')
  const openFile = async (chosen: File): Promise<void> => {
    try {
      setProblem('')
      setRecording(await readRecording(chosen))
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, 500) : ''
      setProblem(t('debug.badFile', { name: plainName(chosen.name, 80), reason }))
    }
  }
  const openRun = async (id: string, sessionId?: string | null): Promise<void> => {
    try {
      setProblem('')
      if (sessionId && !(await keepsEvents(id, sessionId))) return setProblem(t('debug.noEvents'))
      const events = await readRunEvents(id)
      if (events.length === 0) setProblem(t('debug.noEvents'))
      else setRecording({ type: 'run', name: id, events })
    } catch (error) {
      setProblem(error instanceof RequestError ? problemOf(error).detail : t('fix.unreachable'))
    }
  }
  useEffect(() => {
    if (runId) void openRun(runId)
    else if (file) void openFile(file)
  }, [runId, file])
  return (
    <Dialog type="debug" title={t('debug.title')} isWide>
      {problem !== '' && (
        <p class="card problem" role="alert">
          {problem}
        </p>
      )}
      {recording?.type === 'run' && <Stepper key={recording.name} events={recording.events} />}
      {recording?.type === 'cassette' && <CassetteView calls={recording.calls} />}
      {recording ? (
        <div class="actions">
          <button type="button" onClick={() => setRecording(undefined)}>
            {t('debug.close')}
          </button>
        </div>
      ) : (
        <Choice onFile={openFile} onRun={openRun} />
      )}
    </Dialog>
  )
}

type ChoiceProps = { onFile(file: File): Promise<void>; onRun(id: string, sessionId: string | null): Promise<void> }

function Choice({ onFile, onRun }: ChoiceProps) {
  const [runs, setRuns] = useState<readonly ListedRun[]>([])
  const input = useRef<HTMLInputElement>(null)
  const keepsRuns = info.value?.caller.resume ?? false
  useEffect(() => {
    if (!keepsRuns) return
    requestJSON<{ runs: ListedRun[] }>('api/v1/runs', { query: { ...callerQuery(), limit: 50 } })
      .then((page) => setRuns(page.runs))
      .catch(() => {})
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
      {runs.length === 0 && <p class="fine">{t('debug.noRuns')}</p>}
      <ul class="files">
        {runs.map((run) => (
          <li key={run.run_id}>
            <button type="button" class="plain grow" onClick={() => void onRun(run.run_id, run.session_id)}>
              <code>{run.run_id}</code>
              <span class="fine">
                {new Date(run.created_at).toLocaleString(language.value)} · {statusOf(run)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Asked of its conversation: a request for events that are not kept would be an error in the console. */
async function keepsEvents(runId: string, sessionId: string): Promise<boolean> {
  const path = `api/v1/sessions/${encodeURIComponent(sessionId)}/turns`
  const { turns } = await requestJSON<{ turns: TurnBody[] }>(path, { query: { ...callerQuery(), limit: 100 } })
  return turns.find(({ run_id }) => run_id === runId)?.events ?? true
}

function statusOf({ status }: ListedRun): string {
  const key = `status.${status}`
  return hasText(key) ? t(key) : status
}
