import { chooseTheme, type Theme, theme } from '../store/settings.ts'
import { chooseLanguage, type Language, language, languages, t } from '../text/t.ts'

const themes: readonly Theme[] = ['system', 'light', 'dark']

/** Theme and language. Both follow the system until they are chosen. */
export function Preferences() {
  return (
    <div class="preferences">
      <label class="field">
        {t('theme.label')}
        <select value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
          {themes.map((one) => (
            <option key={one} value={one}>
              {t(`theme.${one}`)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        {t('language.label')}
        <select value={language.value} onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}>
          {Object.entries(languages).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
