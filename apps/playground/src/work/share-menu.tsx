import { useRef } from 'preact/hooks'
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
  const menu = useRef<HTMLDetailsElement>(null)
  const name = `${turn.view.runId.replace(/[^\w-]/g, '') || 'run'}`
  const close = (): void => {
    if (!menu.current) return
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
  }
  const act = (action: () => Promise<unknown> | unknown) => async (): Promise<void> => {
    close()
    try {
      await action()
    } catch (error) {
      announce(problemOf(error).detail)
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
    <details
      class="menu"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menu.current?.open) return
        event.preventDefault()
        close()
      }}
      onFocusOut={(event) => {
        if (menu.current && !menu.current.contains(event.relatedTarget as Node | null)) menu.current.open = false
      }}
    >
      <summary class="plain button">
        <Icon name="share" />
        {t('share.title')}
      </summary>
      <ul>
        {items.map(([label, run]) => (
          <li key={label}>
            <button type="button" class="plain" onClick={() => void run()}>
              {label}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function save(text: string, type: string, name: string): void {
  saveBlob(new Blob([text], { type }), name)
}
