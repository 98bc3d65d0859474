import { useRef, useState } from 'preact/hooks'
import { problemOf } from '../api/problem.ts'
import { Icon } from '../shell/icons.tsx'
import { announce } from '../store/announce.ts'
import { saveBlob } from '../store/files.ts'
import type { ShownTurn } from '../store/turn.ts'
import { t } from '../text/t.ts'
import { copyText } from './copy-text.ts'
import { curlOf, markdownOf, transcriptOf, typescriptOf } from './transcript.ts'

/** Takes an answer elsewhere: as a command, as code, or as a file. */
export function ShareMenu({ turn, text }: { turn: ShownTurn; text: string }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const name = `${turn.view.runId.replace(/[^\w-]/g, '') || 'run'}`
  const close = (): void => {
    setOpen(false)
    button.current?.focus()
  }
  const act = (action: () => Promise<unknown> | unknown) => async (): Promise<void> => {
    close()
    try {
      await action()
    } catch (error) {
      announce(problemOf(error).detail || t('fix.unreachable'))
    }
  }
  const items = [
    [t('share.curl'), act(() => copyText(curlOf(turn.question)))],
    [t('share.typescript'), act(() => copyText(typescriptOf(turn.question)))],
    [
      t('share.json'),
      act(async () => save(JSON.stringify(await transcriptOf(turn), null, 1), 'application/json', `${name}.json`)),
    ],
    [t('share.markdown'), act(() => save(markdownOf(turn, text), 'text/markdown', `${name}.md`))],
  ] as const
  return (
    <div
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.preventDefault()
        close()
      }}
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false)
      }}
    >
      <button ref={button} type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="share" />
        {t('share.title')}
      </button>
      {isOpen && (
        <ul>
          {items.map(([label, run]) => (
            <li key={label}>
              <button type="button" class="plain" onClick={() => void run()}>
                {label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function save(text: string, type: string, name: string): void {
  saveBlob(new Blob([text], { type }), name)
}
