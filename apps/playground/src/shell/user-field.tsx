import { useState } from 'preact/hooks'
import { newChat } from '../store/chat.ts'
import { startList } from '../store/sessions.ts'
import { chooseUser, userId } from '../store/settings.ts'
import { t } from '../text/t.ts'
import { Field } from './field.tsx'

/** The user whose conversations are shown, if the caller may act for any user. */
export function UserField() {
  const [value, setValue] = useState(userId.value)
  const change = (): void => {
    const id = value.trim()
    if (id === '' || id === userId.value) {
      setValue(userId.value)
      return
    }
    chooseUser(id)
    newChat()
    startList()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        change()
      }}
    >
      <Field label={t('user.label')}>
        {(id) => (
          <input
            id={id}
            title={t('user.hint')}
            value={value}
            maxLength={128}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setValue(event.currentTarget.value)}
            onBlur={change}
          />
        )}
      </Field>
    </form>
  )
}
