/** Whether metadata pass a filter of Pinecone's language: `$and`, `$or`, `$in`, `$eq`, and a bare value for `$eq`. */
export function matches(metadata: Record<string, unknown>, filter: object = {}): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    if (key === '$and') return (wanted as object[]).every((clause) => matches(metadata, clause))
    if (key === '$or') return (wanted as object[]).some((clause) => matches(metadata, clause))
    if (key.startsWith('$')) throw new Error(`The fake does not know ${key}.`)
    return passes(metadata[key], wanted)
  })
}

/** A list passes when one of its items does. */
function passes(value: unknown, wanted: unknown): boolean {
  const values = Array.isArray(value) ? value : [value]
  if (typeof wanted !== 'object' || wanted === null) return values.includes(wanted)
  return Object.entries(wanted).every(([operator, operand]) => {
    if (operator === '$eq') return values.includes(operand)
    if (operator === '$in') return values.some((item) => (operand as unknown[]).includes(item))
    throw new Error(`The fake does not know ${operator}.`)
  })
}
