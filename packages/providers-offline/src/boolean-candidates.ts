import type { Candidate } from './candidate.ts'
import { type MessageText, wordsBefore } from './message-text.ts'
import type { Parameter } from './parameters.ts'
import { isStopWord } from './tokens.ts'

const yes = /\b(?:on|enabled?|true|yes|start|activate|open|lock)\b/gi
const no = /\b(?:off|disabled?|false|no|stop|deactivate|close|unlock)\b/gi
/** Names of a parameter that is the state itself, so that "turn on" says it. */
const states = /^(?:on|off|enabl|stat|status|power|activ|switch|is|valu|turn|open|toggl|lock)$/

/** `true` or `false` where a message says so: by the parameter's own word, or by on, off, yes and no. */
export function booleanCandidates(parameter: Parameter, message: MessageText): Candidate[] {
  return [...byName(parameter, message), ...byState(parameter, message)]
}

function byName(parameter: Parameter, message: MessageText): Candidate[] {
  const named = parameter.words.filter((word) => !isStopWord(word) && !states.test(word))
  if (named.length === 0) return []
  return message.words.flatMap((word): Candidate[] => {
    if (!named.includes(word.stem)) return []
    const said = message.text.slice(word.end).match(/^\s*(?:[:=]|is|to|as)\s*(true|false|yes|no|on|off)\b/i)
    const isNegated = wordsBefore(message, word.start, 3).some(({ text }) =>
      /^(?:not|no|without|don['’]t|never|skip)$/i.test(text),
    )
    const value = said?.[1] === undefined ? !isNegated : /^(?:true|yes|on)$/i.test(said[1])
    const end = word.end + (said?.[0].length ?? 0)
    return [{ parameter, start: word.start, end, value, score: said ? 1.5 : 0.9, isSpecific: true, kind: 'code' }]
  })
}

function byState(parameter: Parameter, { text }: MessageText): Candidate[] {
  if (!parameter.words.some((word) => states.test(word))) return []
  const found = (pattern: RegExp, value: boolean): Candidate[] =>
    Array.from(text.matchAll(pattern)).flatMap((match): Candidate[] => {
      const score = stateScore(text, match)
      if (score === 0) return []
      const { index: start } = match
      return [{ parameter, start, end: start + match[0].length, value, score, isSpecific: true, kind: 'code' }]
    })
  return [...found(no, false), ...found(yes, true)]
}

/** "turn on", "switch it off", "lights off": a state, not the preposition of "on Monday" or "on fire". */
function stateScore(text: string, match: RegExpExecArray): number {
  if (!/^(?:on|off)$/i.test(match[0])) return 1
  const before = text.slice(0, match.index)
  if (/\b(?:turn|switch|put|power|set)(?:ed|s)?\s+$/i.test(before)) return 1
  const [, next] = /^\s*(\p{L}+)/u.exec(text.slice(match.index + match[0].length)) ?? []
  const isLast = next === undefined || isStopWord(next) || /^(?:today|tonight|tomorrow|during|until|after)$/i.test(next)
  if (!isLast) return 0
  return next === undefined || /\b(?:turn|switch|put|power|set)(?:ed|s)?\b[^.?!]*$/i.test(before) ? 1 : 0.5
}
