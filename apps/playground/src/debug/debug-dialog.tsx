import { useEffect, useState } from 'preact/hooks'
import { problemOf, RequestError } from '../api/problem.ts'
import { requestJSON } from '../api/request.ts'
import type { TurnBody } from '../api/types.ts'
import { plainName } from '../run/format.ts'
import { Dialog } from '../shell/dialog.tsx'
import { callerQuery } from '../store/server.ts'
import { t } from '../text/t.ts'
import { readRunEvents } from '../work/transcript.ts'
import { CassetteView } from './cassette-view.tsx'
import { Choice } from './choice.tsx'
import { type Recording, readRecording } from './read-recording.ts'
import { Stepper } from './stepper.tsx'

/** Steps through a run, a transcript or a cassette. */
export function DebugDialog({ runId, files = [] }: { runId?: string; files?: readonly File[] }) {
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
      fail(error)
    }
  }
  const fail = (error: unknown): void =>
    setProblem(error instanceof RequestError ? problemOf(error).detail : t('fix.unreachable'))
  useEffect(() => {
    if (runId) void openRun(runId)
    else if (files[1]) setProblem(t('debug.oneFile'))
    else if (files[0]) void openFile(files[0])
  }, [])
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
        <Choice onFile={openFile} onRun={openRun} onFailure={fail} />
      )}
    </Dialog>
  )
}

/** Asked of its conversation: a request for events that are not kept would be an error in the console. */
async function keepsEvents(runId: string, sessionId: string): Promise<boolean> {
  const path = `api/v1/sessions/${encodeURIComponent(sessionId)}/turns`
  const { turns } = await requestJSON<{ turns: TurnBody[] }>(path, { query: { ...callerQuery(), limit: 100 } })
  return turns.find(({ run_id }) => run_id === runId)?.events ?? true
}
