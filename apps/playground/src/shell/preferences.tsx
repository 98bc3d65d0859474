import { chooseTheme, type Theme, theme } from '../store/settings.ts'
import { chooseLanguage, type Language, language, languages, t } from '../text/t.ts'
import { Field } from './field.tsx'

const themes: readonly Theme[] = ['system', 'light', 'dark']

/** Theme and language. Both follow the system until they are chosen. */
export function Preferences() {
  return (
    <div class="preferences">
      <Field label={t('theme.label')}>
        {(id) => (
          <select id={id} value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
            {themes.map((one) => (
              <option key={one} value={one}>
                {t(`theme.${one}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t('language.label')}>
        {(id) => (
          <select
            id={id}
            value={language.value}
            onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
          >
            {Object.entries(languages).map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  )
}
