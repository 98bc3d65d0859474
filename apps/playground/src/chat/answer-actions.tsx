import { useState } from 'preact/hooks'
import { Icon } from '../shell/icons.tsx'
import { openDialog } from '../store/dialogs.ts'
import { isWaiting, type ShownTurn } from '../store/turn.ts'
import { t } from '../text/t.ts'
import { copyText } from '../work/copy-text.ts'
import { ShareMenu } from '../work/share-menu.tsx'

type AnswerActionsProps = {
  turn: ShownTurn
  text: string
  isBusy: boolean
  onRegenerate(): void
  onEdit(): void
}

/** The actions for a complete answer. */
export function AnswerActions({ turn, text, isBusy, onRegenerate, onEdit }: AnswerActionsProps) {
  const [isCopied, setCopied] = useState(false)
  const { runId } = turn.view
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <div class="actions">
      {text !== '' && (
        <button type="button" class="plain" onClick={() => void copy()}>
          <Icon name="copy" />
          {t(isCopied ? 'chat.copied' : 'chat.copy')}
        </button>
      )}
      <button type="button" class="plain" disabled={isBusy} onClick={onRegenerate}>
        <Icon name="retry" />
        {t('chat.regenerate')}
      </button>
      <button type="button" class="plain" disabled={isBusy} onClick={onEdit}>
        <Icon name="edit" />
        {t('chat.edit')}
      </button>
      {runId !== '' && !isWaiting(turn) && <ShareMenu turn={turn} text={text} />}
      {runId !== '' && turn.keepsEvents && (
        <button type="button" class="plain" onClick={() => openDialog({ type: 'debug', runId })}>
          <Icon name="bug" />
          {t('debug.open')}
        </button>
      )}
    </div>
  )
}
