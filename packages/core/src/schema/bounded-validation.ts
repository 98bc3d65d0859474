import { limits } from '../limits.ts'

/** The validator reads this field of each schema that it visits. No schema here uses it, as it is an outdated keyword. */
const visited = '__absolute_recursive_ref__'
/** Reading the clock is as expensive as a visit, and of a small value as the whole validation: it has fewer visits. */
const visitsPerLook = 16

let visits = 0
let maxVisits = Number.POSITIVE_INFINITY
/** The CPU time at the first look; `undefined` before. */
let startedAt: number | undefined
let isRunning = false

/**
 * Bounds the CPU time of validations by these schemas: the branches of recursive schemas double with each level of a
 * value, and the validator has no limit.
 * @param schemas all that the validator may visit
 */
export function boundVisits(schemas: readonly unknown[]): void {
  for (const schema of schemas) {
    if (typeof schema !== 'object' || schema === null) continue
    if (!Object.hasOwn(schema, visited)) Object.defineProperty(schema, visited, { get: countVisit })
    const { pattern } = schema as { pattern?: unknown }
    if (typeof pattern !== 'string' || Object.getOwnPropertyDescriptor(schema, 'pattern')?.get) continue
    const bounded = `^(?=[^]{0,${limits.patternChars}}$)[^]*?(?:${pattern})`
    Object.defineProperty(schema, 'pattern', {
      enumerable: true,
      // Other readers of the schema get the original pattern.
      get: () => (isRunning ? bounded : pattern),
    })
  }
}

/** Thrown when a validation exceeds its CPU time. */
export class TooMuchValidation extends Error {}

/**
 * Runs a validation by schemas that {@link boundVisits} has prepared.
 * @throws TooMuchValidation when it takes more CPU time than `limits.validationMs`
 */
export function withinBounds<Value>(validation: () => Value): Value {
  visits = 0
  maxVisits = Number.POSITIVE_INFINITY
  startedAt = undefined
  isRunning = true
  try {
    return validation()
  } finally {
    isRunning = false
  }
}

/**
 * Bounds the rest of the current validation, which is to find all errors: a large value has so many of them that
 * collecting the garbage takes longer than the validation.
 */
export function boundErrors(): void {
  maxVisits = visits + limits.errorVisits
}

function countVisit(): undefined {
  visits++
  if (isRunning && visits > maxVisits) throw new TooMuchValidation()
  if (!isRunning || visits % visitsPerLook !== 0) return undefined
  // CPU time, so that a busy machine accepts the same values.
  const now = cpuMs()
  startedAt ??= now
  if (now - startedAt > limits.validationMs) throw new TooMuchValidation()
  return undefined
}

/** The CPU time of this thread, or of the process where Node does not report it per thread. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1000
}
