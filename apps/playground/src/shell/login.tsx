import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isRefused, keepToken } from '../api/session-token.ts'
import { plainName } from '../run/format.ts'
import { loadServer } from '../store/server.ts'
import { t } from '../text/t.ts'
import { Field } from './field.tsx'
import { Preferences } from './preferences.tsx'

/** Asks for a token, which is kept in this tab only. */
export function Login({ name }: { name: string }) {
  const [token, setToken] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // The field also gets the focus after a refused token and a sign-out, whose controls were removed.
  useLayoutEffect(() => field.current?.focus(), [])
  const submit = (event: Event): void => {
    event.preventDefault()
    const trimmed = token.trim()
    // A token has only characters that a header may have: the browser would refuse to send others.
    if (!/^[\x21-\x7e]+$/.test(trimmed)) {
      isRefused.value = trimmed !== ''
      return
    }
    keepToken(trimmed)
    void loadServer()
  }
  return (
    <main class="login">
      <form class="card" onSubmit={submit}>
        <h1>{t('login.title', { name: plainName(name) })}</h1>
        <p>{t('login.why')}</p>
        <Field label={t('login.token')}>
          {(id) => (
            <input
              id={id}
              ref={field}
              type="password"
              autocomplete="off"
              spellcheck={false}
              required
              value={token}
              aria-invalid={isRefused.value}
              aria-describedby={isRefused.value ? 'refused' : undefined}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          )}
        </Field>
        {isRefused.value && (
          <p id="refused" class="error" role="alert">
            {t('login.refused')}
          </p>
        )}
        <button type="submit" class="primary">
          {t('login.submit')}
        </button>
      </form>
      <Preferences />
    </main>
  )
}
