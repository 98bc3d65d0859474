import { formatSum, plainName } from '../run/format.ts'
import { previous, turns } from '../store/chat.ts'
import { isMenuOpen, openDialog } from '../store/dialogs.ts'
import { info } from '../store/server.ts'
import { sumOf } from '../store/session-sum.ts'
import { t } from '../text/t.ts'
import { Icon } from './icons.tsx'

/** The agent, the usage of the conversation, and the tools of the page. */
export function Header() {
  const sum = sumOf(turns.value)
  const { name = '', accepts } = info.value ?? {}
  return (
    <header class="head">
      <button
        type="button"
        id="menu"
        class="icon-button narrow-only"
        aria-label={t('menu.open')}
        aria-expanded={isMenuOpen.value}
        onClick={() => {
          isMenuOpen.value = true
        }}
      >
        <Icon name="menu" />
      </button>
      <h1 dir="auto">{plainName(name)}</h1>
      {sum.priced + sum.unpriced > 0 && (
        <p class="sum">
          <span class="hidden">{t('cost.session')}</span> {/* Earlier answers are not on the page, and not counted. */}
          {previous.value !== undefined && '≥ '}
          {formatSum(sum)}
        </p>
      )}
      {(accepts?.files.length ?? 0) > 0 && (
        <button
          type="button"
          class="icon-button"
          aria-label={t('files.title')}
          title={t('files.title')}
          onClick={() => openDialog({ type: 'files' })}
        >
          <Icon name="file" />
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={t('debug.title')}
        title={t('debug.title')}
        onClick={() => openDialog({ type: 'debug' })}
      >
        <Icon name="bug" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={t('palette.title')}
        aria-keyshortcuts="Control+K Meta+K"
        title={`${t('palette.title')} (Ctrl+K)`}
        onClick={() => openDialog({ type: 'palette' })}
      >
        <Icon name="command" />
      </button>
    </header>
  )
}
