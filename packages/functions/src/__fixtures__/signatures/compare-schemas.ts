import type { JSONSchema } from '@agentkit/core'
import type { Matching } from './expected.ts'

/**
 * A schema as it is compared: what may be written in several ways is written in one. References are followed, so that
 * it does not matter where a recursion is cut; lists whose order means nothing are sorted; patterns are what they match.
 * @param patterns the patterns to judge by what they match, from {@link matchings}
 */
export function comparable(schema: JSONSchema, patterns: readonly Matching[]): unknown {
  return normal(schema, schema, patterns, 0)
}

/** As deep as the fixtures go, and once more through each recursion. */
const deepest = 9

function normal(value: unknown, root: JSONSchema, patterns: readonly Matching[], depth: number): unknown {
  if (!isRecord(value)) return value
  if (depth > deepest) return 'and so on'
  const { $defs: _definitions, $ref, ...keywords } = value
  if (typeof $ref === 'string') return normal({ ...target($ref, root), ...keywords }, root, patterns, depth)
  const next = (child: unknown): unknown => normal(child, root, patterns, depth + 1)
  return Object.fromEntries(
    Object.entries(keywords).map(([keyword, content]): [string, unknown] => {
      if (keyword === 'properties') return [keyword, mapValues(content, next)]
      if (keyword === 'additionalProperties') return [keyword, content === true ? {} : next(content)]
      if (keyword === 'items') return [keyword, next(content)]
      if (keyword === 'prefixItems') return [keyword, (content as unknown[]).map(next)]
      if (keyword === 'anyOf') return [keyword, sorted((content as unknown[]).map(next))]
      if (keyword === 'enum' || keyword === 'required') return [keyword, sorted(content as unknown[])]
      if (keyword === 'type') return [keyword, Array.isArray(content) ? sorted(content) : content]
      if (keyword === 'pattern') return [keyword, meaning(content, patterns)]
      if (keyword === 'description') return [keyword, paragraphs(String(content))]
      return [keyword, content]
    }),
  )
}

/** A text without its line breaks, but for those between paragraphs. */
export function paragraphs(text: string): string {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .join('\n\n')
}

/** The patterns of a schema that say what they match. */
export function matchings(value: unknown): Matching[] {
  if (!isRecord(value) && !Array.isArray(value)) return []
  if ('matches' in value && 'doesNotMatch' in value) return [value as unknown as Matching]
  return Object.values(value).flatMap(matchings)
}

function meaning(pattern: unknown, patterns: readonly Matching[]): unknown {
  if (typeof pattern !== 'string') return pattern
  const expression = new RegExp(pattern, 'u')
  const isAnchored = pattern.startsWith('^') && pattern.endsWith('$')
  const same = patterns.find(
    ({ matches, doesNotMatch }) =>
      isAnchored &&
      matches.every((text) => expression.test(text)) &&
      !doesNotMatch.some((text) => expression.test(text)),
  )
  return same ?? pattern
}

function target(reference: string, root: JSONSchema): JSONSchema {
  const [, name = ''] = /^#\/\$defs\/(.+)$/.exec(reference) ?? []
  const found = isRecord(root.$defs) ? root.$defs[name] : undefined
  if (!isRecord(found)) throw new Error(`${reference} refers to nothing.`)
  return found
}

function sorted(list: readonly unknown[]): unknown[] {
  return [...list].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

function mapValues(record: unknown, change: (value: unknown) => unknown): unknown {
  return isRecord(record)
    ? Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
    : record
}

function isRecord(value: unknown): value is JSONSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
