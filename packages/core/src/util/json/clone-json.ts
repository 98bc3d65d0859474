import type { JSONValue } from '../../data/message.ts'

/** A copy of plain JSON. Cheaper than `structuredClone`, and safe for keys such as `__proto__`. */
export function cloneJSON(value: JSONValue): JSONValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cloneJSON)
  const copy: { [key: string]: JSONValue } = {}
  for (const key of Object.keys(value)) {
    const child = cloneJSON(value[key] as JSONValue)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: child, enumerable: true, writable: true })
    else copy[key] = child
  }
  return copy
}

/** A value of ours as the JSON that a store keeps. It is plain JSON, except that optional fields may be absent. */
export function asJSON(value: object): JSONValue {
  // TypeScript accepts no object type as JSON whose optional fields may be `undefined`.
  return value as unknown as JSONValue
}
