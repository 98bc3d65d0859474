import { closeDialog } from '../store/dialogs.ts'
import { t } from '../text/t.ts'
import { Dialog } from './dialog.tsx'

/** A link of an answer may lead anywhere: the reader sees where before it opens. */
export function LinkDialog({ url }: { url: string }) {
  return (
    <Dialog type="link" title={t('link.title')}>
      <p>{t('link.text')}</p>
      <p class="address" dir="ltr">
        {url}
      </p>
      <div class="actions end">
        <button type="button" onClick={() => closeDialog('link')}>
          {t('dialog.cancel')}
        </button>
        <a
          class="button primary"
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          onClick={() => closeDialog('link')}
        >
          {t('link.open')}
        </a>
      </div>
    </Dialog>
  )
}
