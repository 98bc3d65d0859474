/** How much of a value is measured. */
export type JSONBounds = {
  /** Levels of objects and lists. */
  depth: number
  /** Fields of objects and items of lists, at all levels. */
  values: number
}

/** The size of a value as JSON, as far as it was measured. */
export type MeasuredJSON = {
  /** The approximate length of its JSON text. */
  chars: number
  /** Why it cannot be used: it is not JSON, or exceeds a bound. */
  problem?: 'no-json' | 'too-deep' | 'too-many'
}

/**
 * Measures an untrusted value within the bounds: circular and endless values cost no more than that.
 */
export function measureJSON(value: unknown, bounds: JSONBounds): MeasuredJSON {
  const measured: MeasuredJSON = { chars: 0 }
  const problem = problemIn(value, { bounds, measured, values: 0, ancestors: [] })
  return problem === undefined ? measured : { ...measured, problem }
}

type Walk = { bounds: JSONBounds; measured: MeasuredJSON; values: number; ancestors: object[] }

function problemIn(value: unknown, walk: Walk): MeasuredJSON['problem'] {
  const { bounds, measured, ancestors } = walk
  switch (typeof value) {
    case 'string':
      measured.chars += value.length + 2
      return undefined
    case 'number':
      measured.chars += 8
      return Number.isFinite(value) ? undefined : 'no-json'
    case 'boolean':
      measured.chars += 5
      return undefined
    case 'object':
      break
    default:
      return 'no-json'
  }
  if (value === null) {
    measured.chars += 4
    return undefined
  }
  // A Date, for example, which becomes a string in JSON.
  if ('toJSON' in value && typeof value.toJSON === 'function') return 'no-json'
  if (ancestors.length >= bounds.depth) return isCircle([...ancestors, value]) ? 'no-json' : 'too-deep'
  ancestors.push(value)
  // A sparse list may have any length.
  const keys = Array.isArray(value) && value.length > bounds.values ? undefined : Object.keys(value)
  walk.values += keys?.length ?? Number.POSITIVE_INFINITY
  if (keys === undefined || walk.values > bounds.values) return 'too-many'
  measured.chars += 2
  for (const key of keys) {
    const child: unknown = value[key as keyof typeof value]
    if (child === undefined) continue
    measured.chars += Array.isArray(value) ? 1 : key.length + 4
    const problem = problemIn(child, walk)
    if (problem !== undefined) return problem
  }
  ancestors.pop()
  return undefined
}

function isCircle(path: readonly object[]): boolean {
  return new Set(path).size < path.length
}
