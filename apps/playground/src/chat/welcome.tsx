import { plainName } from '../run/format.ts'
import { focusMessage } from '../shell/focus.ts'
import { ask } from '../store/chat.ts'
import { info } from '../store/server.ts'
import { t } from '../text/t.ts'

const maxPrompts = 12

/** The view of an empty conversation. */
export function Welcome() {
  const { name = '', description, sample_prompts = [] } = info.value ?? {}
  return (
    <section class="welcome">
      <h2>{t('chat.hello', { name: plainName(name) })}</h2>
      {description && <p dir="auto">{description.slice(0, 1_000)}</p>}
      {sample_prompts.length > 0 && (
        <ul class="samples" aria-label={t('chat.samples')}>
          {sample_prompts.slice(0, maxPrompts).map((prompt) => (
            <li key={prompt}>
              <button
                type="button"
                dir="auto"
                onClick={() => {
                  focusMessage()
                  void ask({ text: prompt })
                }}
              >
                {prompt.slice(0, 500)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
