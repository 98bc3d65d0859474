import { formatNumber } from '../run/format.ts'
import { t } from '../text/t.ts'

/** A value as text: texts as they are, others as JSON. What changes the direction of a text is escaped: a reader decides by what is shown. */
export function shownValue(value: unknown): string {
  return valueText(value).replace(
    /\p{Bidi_Control}/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function valueText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(
      value,
      (_, each) => (isFileData(each) ? t('work.characters', { count: formatNumber(each.length) }) : each),
      2,
    )
  } catch {
    return String(value)
  }
}

/** Images and files in results are not to be read. */
function isFileData(value: unknown): value is string {
  return typeof value === 'string' && value.length > 10_000 && /^[A-Za-z0-9+/=]+$/.test(value.slice(0, 1_000))
}
