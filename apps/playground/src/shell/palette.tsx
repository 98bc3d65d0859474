import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { plainName } from '../run/format.ts'
import { newChat, openSession } from '../store/chat.ts'
import { closeDialog, openDialog } from '../store/dialogs.ts'
import { info, signOut } from '../store/server.ts'
import { sessions } from '../store/sessions.ts'
import { chooseTheme } from '../store/settings.ts'
import { chooseLanguage, type Language, languages, t } from '../text/t.ts'
import { Dialog } from './dialog.tsx'

type Command = { name: string; run(): void }

/** Commands and conversations, found by a part of their names. */
export function Palette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  // The dialog, which is below this component, is open by then.
  useLayoutEffect(() => field.current?.focus(), [])
  const words = text.toLowerCase().split(/\s+/)
  const found = commands()
    .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
    .slice(0, 30)
  const selected = Math.min(at, found.length - 1)
  useLayoutEffect(() => {
    document.getElementById(`command-${selected}`)?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  const run = (command: Command | undefined): void => {
    if (!command) return
    closeDialog('palette')
    // After the focus is back where it was.
    setTimeout(() => command.run())
  }
  const move = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (event.key === 'Enter') run(found[selected])
    else if (step !== undefined && found.length > 0) setAt((selected + step + found.length) % found.length)
    else return
    event.preventDefault()
  }
  return (
    <Dialog type="palette" title={t('palette.title')}>
      <input
        type="text"
        role="combobox"
        aria-label={t('palette.label')}
        placeholder={t('palette.label')}
        aria-expanded="true"
        aria-controls="commands"
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `command-${selected}` : undefined}
        autocomplete="off"
        spellcheck={false}
        ref={field}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={move}
      />
      <div id="commands" class="commands" role="listbox" aria-label={t('palette.title')}>
        {found.map((command, index) => (
          <div
            key={command.name}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            onClick={() => run(command)}
          >
            {command.name}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="fine">{t('palette.none')}</p>}
    </Dialog>
  )
}

function commands(): Command[] {
  const { auth, accepts } = info.value ?? {}
  return [
    { name: t('sessions.new'), run: newChat },
    ...((accepts?.files.length ?? 0) > 0 ? [{ name: t('files.title'), run: () => openDialog({ type: 'files' }) }] : []),
    { name: t('debug.title'), run: () => openDialog({ type: 'debug' }) },
    ...(['system', 'light', 'dark'] as const).map((theme) => ({
      name: `${t('theme.label')}: ${t(`theme.${theme}`)}`,
      run: () => chooseTheme(theme),
    })),
    ...Object.entries(languages).map(([code, name]) => ({
      name: `${t('language.label')}: ${name}`,
      run: () => chooseLanguage(code as Language),
    })),
    ...(auth ? [{ name: t('login.out'), run: signOut }] : []),
    ...sessions.value.map(({ session_id, title }) => ({
      name: t('palette.open', { title: plainName(title) || t('sessions.untitled') }),
      run: () => void openSession(session_id),
    })),
  ]
}
