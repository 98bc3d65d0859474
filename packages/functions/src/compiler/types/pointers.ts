import type { JSONSchema } from '@agentkit/core'

/** The locations of these schemas in a schema, as JSON Pointers (RFC 6901). */
export function pointersTo(wanted: ReadonlySet<JSONSchema>, root: JSONSchema): string[] {
  const pointers: string[] = []
  if (wanted.size > 0) collect(root, '', wanted, pointers)
  return pointers
}

function collect(value: unknown, pointer: string, wanted: ReadonlySet<JSONSchema>, pointers: string[]): void {
  if (typeof value !== 'object' || value === null) return
  // The set says which objects are schemas.
  if (wanted.has(value as JSONSchema)) pointers.push(pointer)
  for (const [key, child] of Object.entries(value)) {
    collect(child, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, wanted, pointers)
  }
}
