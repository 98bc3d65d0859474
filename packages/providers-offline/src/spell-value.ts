import type { JSONSchema } from '@agentkit/core'
import type { Span } from './find-spans.ts'
import { findLanguages, regionCode } from './known-names.ts'
import type { Parameter, Role } from './parameters.ts'

/** The spellings in which a span could satisfy the schema, the likeliest first. */
export function spellingsOf(span: Span, { role, name, description }: Parameter, schema: JSONSchema): string[] {
  if (span.kind === 'date' && span.date)
    return dateSpellings(span, `${description} ${String(schema.pattern ?? '')}`, schema)
  if (span.kind === 'time' && span.clock !== undefined) return timeSpellings(span.text, span.clock, description, schema)
  if (span.kind === 'currency' && span.code !== undefined && role !== 'text') return [span.code, span.text]
  if (span.kind === 'number' && span.number !== undefined && !span.inWords) return [span.text.replaceAll(/[\s,]/g, '')]
  const code = wantsCode(`${name} ${description}`, schema) ? codeOf(span.text, role) : undefined
  if (code !== undefined) return [code, code.toUpperCase(), span.text]
  return [span.text, ...(role === 'symbol' || role === 'id' ? [span.text.toUpperCase()] : [])]
}

function wantsCode(wording: string, { pattern }: JSONSchema): boolean {
  return /code|\bISO\b/i.test(wording) || (typeof pattern === 'string' && /^\^?\[[aA]-[zZ]\]\{2\}/.test(pattern))
}

/** `de` for German, `DE` for Germany. */
function codeOf(said: string, role: Role): string | undefined {
  const [language] = role === 'place' ? [] : findLanguages(said)
  return language?.code ?? regionCode(said)
}

function dateSpellings(span: Span, wording: string, schema: JSONSchema): string[] {
  const { iso = '', time } = span.date ?? {}
  const exact = time === undefined ? iso : `${iso}T${time}`
  if (schema.format === 'date-time') return time === undefined ? [] : [exact, `${exact}Z`, `${exact}:00Z`]
  const wantsIso = schema.format !== undefined || schema.pattern !== undefined || /YYYY|ISO|\d{4}-\d{2}/i.test(wording)
  return wantsIso ? [iso, exact] : [span.text]
}

function timeSpellings(text: string, clock: string, description: string, schema: JSONSchema): string[] {
  if (schema.format === 'date-time') return []
  const exact = [clock, `${clock}:00`, `${clock}:00Z`]
  const wantsClock =
    schema.format !== undefined || schema.pattern !== undefined || /HH|24|ISO|\d{2}:\d{2}/i.test(description)
  return wantsClock ? exact : [text]
}
