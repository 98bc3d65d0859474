import { useRef, useState } from 'preact/hooks'
import { type Problem, problemOf } from '../api/problem.ts'
import { closeDialog, type Dialog as OpenDialog } from '../store/dialogs.ts'
import { t } from '../text/t.ts'
import { Dialog } from './dialog.tsx'
import { ProblemCard } from './problem-card.tsx'

export function ConfirmDialog({ title, text, action, onConfirm }: Extract<OpenDialog, { type: 'confirm' }>) {
  const [problem, setProblem] = useState<Problem>()
  const isSending = useRef(false)
  const confirm = async (): Promise<void> => {
    // A double click.
    if (isSending.current) return
    isSending.current = true
    try {
      await onConfirm()
      closeDialog('confirm')
    } catch (error) {
      setProblem(problemOf(error))
      isSending.current = false
    }
  }
  return (
    <Dialog type="confirm" title={title}>
      <p class="wrap">{text}</p>
      {problem && <ProblemCard problem={problem} />}
      <div class="actions end">
        <button type="button" onClick={() => closeDialog('confirm')}>
          {t('dialog.cancel')}
        </button>
        <button type="button" class="danger" onClick={() => void confirm()}>
          {action}
        </button>
      </div>
    </Dialog>
  )
}
