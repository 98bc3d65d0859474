import { limits } from '../limits.ts'

/** The validator reads this field of each schema that it visits. None that it is given has the older keyword for it. */
const visited = '__absolute_recursive_ref__'
/** Reading the clock costs as much as a visit. */
const visitsPerLook = 16

let visits = 0
let startedAt = 0
let isRunning = false

/**
 * Bounds what a validation by these schemas may cost: the branches of schemas that refer to themselves double with
 * each level of a value, and the validator has no bound of its own.
 * @param schemas all that it may visit
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
      // Other readers of the schema see the pattern as it was written.
      get: () => (isRunning ? bounded : pattern),
    })
  }
}

/** A validation has taken all the CPU time that it may. */
export class TooMuchValidation extends Error {}

/**
 * Runs a validation by schemas that {@link boundVisits} was given.
 * @throws TooMuchValidation when it takes more CPU time than `limits.validationMs`
 */
export function withinBounds<Value>(validation: () => Value): Value {
  visits = 0
  startedAt = cpuMs()
  isRunning = true
  try {
    return validation()
  } finally {
    isRunning = false
  }
}

function countVisit(): undefined {
  visits++
  if (!isRunning || visits % visitsPerLook !== 0) return undefined
  // By CPU time, so that a busy machine refuses nothing that a quiet one takes.
  if (cpuMs() - startedAt > limits.validationMs) throw new TooMuchValidation()
  return undefined
}

/** Of this thread, where Node reports it. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1000
}
