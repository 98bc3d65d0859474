import { useId, useRef, useState } from 'preact/hooks'
import { formatBytes } from '../run/format.ts'
import { t } from '../text/t.ts'

const maxShown = 4_000
/** A page cannot show a longer text completely. */
const maxAll = 2_000_000

/** A text of any length, unformatted; only its beginning until the user opens the whole text. */
export function LongText({ label, text }: { label: string; text: string }) {
  const [showsAll, setShowsAll] = useState(false)
  const id = useId()
  const pre = useRef<HTMLPreElement>(null)
  const max = showsAll ? maxAll : maxShown
  return (
    <div class="value">
      <p class="label" id={id}>
        {label}
      </p>
      <pre ref={pre} tabIndex={0} role="group" aria-labelledby={id} dir="auto">
        {text.length > max ? `${text.slice(0, max)}…` : text}
      </pre>
      {text.length > maxShown && !showsAll && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            setShowsAll(true)
            pre.current?.focus()
          }}
        >
          {t('chat.showAll', { size: formatBytes(text.length) })}
        </button>
      )}
    </div>
  )
}
