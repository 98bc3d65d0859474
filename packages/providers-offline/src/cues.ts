import type { Span } from './find-spans.ts'
import { type MessageText, wordsAfter, wordsBefore } from './message-text.ts'
import type { Parameter, Role } from './parameters.ts'
import { areRelated } from './related-words.ts'
import { stem } from './tokens.ts'

/** Words before a value, and the parameters that they announce. */
const announcing: Record<string, string> = {
  from: 'from source origin departure start begin sender base since min minimum lower low input first a x minuend',
  to: 'to target destination arrival end finish recipient into until max maximum upper high output email address attendee receiver language',
  into: 'to target into output language format currency unit',
  in: 'in city location place country language currency unit format room target to timezone zone area folder directory path',
  on: 'on date day platform topic',
  at: 'at time location place restaurant hotel venue price rate',
  for: 'for person people guest name city user customer query topic duration day symbol location date party',
  with: 'with body message attendee extension',
  by: 'by author artist percent amount',
  about: 'about subject topic query title text',
  between: 'from min minimum start low lower',
  and: 'to max maximum end high upper',
  called: 'name title',
  named: 'name title',
  titled: 'title name subject',
  saying: 'body message text content',
  says: 'body message text content',
  under: 'max maximum upper limit high',
  below: 'max maximum upper limit high',
  most: 'max maximum upper limit',
  less: 'max maximum upper',
  within: 'max maximum radius distance day',
  over: 'min minimum lower low',
  above: 'min minimum lower low',
  least: 'min minimum lower low',
  more: 'min minimum lower',
  top: 'limit count max top number maximum',
  first: 'limit count max top number first',
  last: 'limit count day max last',
  until: 'to end until',
  since: 'from start since',
  room: 'room',
}
const announced = new Map(
  Object.entries(announcing).map(([word, names]) => [word, new Set(names.split(' ').map(stem))]),
)
const connectors = new Set('is of the a an as to be number no nr id than set equals was are my our s'.split(' '))
const sources = new Set('from source origin base sender start pickup pick depart'.split(' ').map(stem))
const targets = new Set('to target destination into recipient end output dropoff drop arriv'.split(' ').map(stem))

/** Roles that a preposition leads to, whatever the parameter is called: "for Priya", "in Oslo". */
const placedRoles = new Set<Role>(['person', 'place', 'date', 'time'])
const counts = new Set('limit count max maximum number top size'.split(' ').map(stem))

/** How strongly the words round a span say that it is for this parameter: 0 says nothing, below 0 speaks against it. */
export function cueScore(parameter: Parameter, span: Span, message: MessageText): number {
  return before(parameter, span, message) + after(parameter, span, message) + attached(parameter, span, message)
}

function before({ words, name, hints, role }: Parameter, span: Span, message: MessageText): number {
  const near = wordsBefore(message, span.start, 4)
  const [next] = near
  let score = 0
  const preposition = near.find(({ text }) => !/^(?:the|a|an|my|our|a)$/i.test(text))?.text.toLowerCase() ?? ''
  const names = announced.get(preposition)
  const isSource = [...words, ...hints].some((word) => sources.has(word))
  const isTarget = [...words, ...hints].some((word) => targets.has(word))
  if (preposition === name.toLowerCase()) score += 0.9
  else if (
    names &&
    ((placedRoles.has(role) && names.has(role)) || words.some((word) => names.has(word))) &&
    (preposition !== 'and' || isAfterBetween(span, message))
  )
    score += 0.6
  else if (isSource && !isTarget && preposition === 'from') score += 0.4
  else if (isTarget && !isSource && /^(?:to|into)$/.test(preposition)) score += 0.4
  if (isSource && !isTarget && /^(?:to|into)$/.test(preposition)) score -= 0.5
  if (isTarget && !isSource && preposition === 'from') score -= 0.5
  const title = near.find(({ text }, index) => index < 4 && !connectors.has(text.toLowerCase()))
  // In "70 kg, 175 cm" the first unit is no title of the second number.
  const isUnit =
    title !== undefined &&
    span.kind === 'number' &&
    /\d\s*$/.test(message.text.slice(Math.max(0, title.start - 4), title.start))
  if (title && !isUnit && words.some((word) => areRelated(word, title.stem))) {
    score += words.includes(title.stem) || next === title ? 1 : 0.7
  }
  return score
}

function isAfterBetween({ start }: Span, { text }: MessageText): boolean {
  return /\bbetween\b[^.?!]*$/i.test(text.slice(Math.max(0, start - 80), start))
}

function after({ words, hints }: Parameter, span: Span, message: MessageText): number {
  if (span.kind !== 'number') return 0
  const following = wordsAfter(message, span.end, 2)
  const nextNumber = following.findIndex(({ text }) => /^\d/.test(text))
  const near = following
    .slice(0, nextNumber < 0 ? 2 : nextNumber)
    .filter(({ text }) => !/^(?:of|and|or|to|in|by|from|with)$/i.test(text))
  if (near.some((word) => words.includes(word.stem))) return 0.9
  if (near.some((word) => words.some((name) => areRelated(name, word.stem)))) return 0.8
  if (span.isPercent && words.some((word) => /^(?:percent|rate|tip|discount|interest|tax)/.test(word))) return 0.8
  // "3 headlines" is how many.
  if (words.some((word) => counts.has(word)) && /^\p{L}+s$/u.test(near[0]?.text ?? '')) return 0.4
  return near.some((word) => hints.some((hint) => areRelated(hint, word.stem))) ? 0.4 : 0
}

/** What stands at a number is what it is converted from: "5 USD to EUR". */
function attached({ words }: Parameter, span: Span, { text }: MessageText): number {
  const isAsked =
    span.kind === 'asked' || /\bhow (?:many|much)\s$/i.test(text.slice(Math.max(0, span.start - 12), span.start))
  if (!span.isAttached) return isAsked && words.some((word) => targets.has(word)) ? 0.5 : 0
  if (words.some((word) => sources.has(word))) return 0.5
  return words.some((word) => targets.has(word)) ? -0.4 : 0
}
