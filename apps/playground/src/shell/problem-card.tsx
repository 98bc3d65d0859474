import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/problem.ts'
import type { TextKey } from '../text/en.ts'
import { t } from '../text/t.ts'

type ProblemCardProps = { problem: Problem; runId?: string | undefined; children?: ComponentChildren }

/** The failure, what to do, and the ids that find it in the log of the server. */
export function ProblemCard({ problem, runId, children }: ProblemCardProps) {
  const { code, detail, requestId } = problem
  return (
    <div class="card problem" role="alert">
      <strong>{t('error.title')}</strong>
      {detail !== '' && <p>{detail}</p>}
      <p>{t(fixOf(problem))}</p>
      <p class="fine">
        <code>{code}</code>
        {requestId && <span>{t('error.request', { id: requestId })}</span>}
        {runId && <span>{t('error.run', { id: runId })}</span>}
      </p>
      {children && <div class="actions">{children}</div>}
    </div>
  )
}

const fixes: Record<string, TextKey> = {
  unreachable: 'fix.unreachable',
  unauthorized: 'fix.unauthorized',
  auth: 'fix.config',
  'missing-key': 'fix.config',
  'missing-package': 'fix.config',
  'invalid-config': 'fix.config',
  'model-not-found': 'fix.config',
  quota: 'fix.config',
  storage: 'fix.config',
  unsupported: 'fix.config',
  'context-overflow': 'fix.shorter',
  'session-busy': 'fix.busy',
  'session-conflict': 'fix.changed',
  'not-found': 'fix.changed',
  budget: 'fix.budget',
  'max-steps': 'fix.budget',
  'unreadable-file': 'fix.file',
  'unprocessable-file': 'fix.file',
  file: 'fix.file',
  'file-type-not-allowed': 'fix.file',
  'file-type-mismatch': 'fix.file',
  'invalid-filename': 'fix.file',
  'payload-too-large': 'fix.file',
  'content-filter': 'fix.input',
  'invalid-field': 'fix.input',
  'bad-request': 'fix.input',
}

function fixOf({ code, status }: Problem): TextKey {
  // A proxy may answer with any code, such as `constructor`.
  const known = Object.hasOwn(fixes, code) ? fixes[code] : undefined
  return known ?? (status >= 400 && status < 500 && status !== 429 ? 'fix.input' : 'fix.retry')
}
