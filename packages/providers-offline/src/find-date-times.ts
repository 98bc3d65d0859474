import type { Value } from './find-values.ts'

type Place = { start: number; end: number }
/** A moment in JSON Schema's format `date-time`. */
export type DateTime = Place & { text: string }

const whole = /\b(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?(?!\w)/gi
const clock = /\b(\d{1,2})(?::(\d{2}))? ?(am|pm)?\b/gi

/** Characters between a day and its time. */
const mostBetween = 8

/** The moments that a message says, and its days: at the time beside them, else at midnight. Without a zone it is UTC. */
export function findDateTimes(text: string, values: readonly Value[]): DateTime[] {
  const moments = Array.from(text.matchAll(whole), (found): DateTime => {
    const [{ length }, day, time, seconds = ':00', zone = 'Z'] = found
    return { text: `${day}T${time}${seconds}${zone}`, start: found.index, end: found.index + length }
  })
  const times = timesIn(text)
  const days = values.filter(({ kind }) => kind === 'date')
  return [...moments, ...days.map((day) => withTime(day, times, text))]
}

/** Times of a day: `19:30`, "7 pm". */
function timesIn(text: string): DateTime[] {
  return Array.from(text.matchAll(clock)).flatMap((found): DateTime[] => {
    const [{ length }, hourText, minutes, half] = found
    if (minutes === undefined && half === undefined) return []
    const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (/p/i.test(half) ? 12 : 0)
    if (hour > 23 || Number(minutes ?? 0) > 59) return []
    const time = `${String(hour).padStart(2, '0')}:${minutes ?? '00'}:00`
    return [{ text: time, start: found.index, end: found.index + length }]
  })
}

/** A day with the time next to it: "tomorrow at 7 pm", "19:30 on 5 March". */
function withTime(day: Value, times: readonly DateTime[], text: string): DateTime {
  const time = times.find((one) => {
    const [from, to] = one.start >= day.end ? [day.end, one.start] : [one.end, day.start]
    return to >= from && to - from <= mostBetween && /^[\s,]*(?:at|on)?\s*$/i.test(text.slice(from, to))
  })
  const { start, end } = {
    start: Math.min(day.start, time?.start ?? day.start),
    end: Math.max(day.end, time?.end ?? 0),
  }
  return { text: `${day.text}T${time?.text ?? '00:00:00'}Z`, start, end }
}
