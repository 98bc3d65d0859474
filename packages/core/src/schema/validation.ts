import { limits } from '../limits.ts'
import { measureJSON } from '../util/json/measure-json.ts'

/** The value as the schema returns it, or what is wrong with it. */
export type Validation = { value: unknown; problems?: undefined } | { problems: string[] }

/** Why a value is too large to validate: each field costs microseconds, and a model may write any number of them. */
export function tooMuch(value: unknown): string | undefined {
  const { argumentDepth: depth, argumentValues: values } = limits
  const { problem } = measureJSON(value, { depth, values })
  if (problem === 'too-many') return `It has more than ${values} fields and items: give fewer`
  return problem === 'too-deep' ? `It is nested deeper than ${depth} levels: make it flatter` : undefined
}

/** The first problems: more of them help no model. */
export function firstProblems(problems: string[]): string[] {
  return problems.length <= 10 ? problems : [...problems.slice(0, 10), `and ${problems.length - 10} more`]
}
