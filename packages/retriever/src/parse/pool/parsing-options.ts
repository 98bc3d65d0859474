import { invalidArgument, type ParsingOptions } from '@agentkit/core/internal'
import { usualLimits } from './parse-limits.ts'
import { usualProcesses } from './parse-pool.ts'

/** A timer above 2^31 - 1 milliseconds would fire at once. */
const longestSeconds = Math.floor((2 ** 31 - 1) / 1000)
/** The memory of a process that has not read anything, with a margin. */
const leastMemoryMb = 128

const kinds = {
  memoryMb: { is: `a number of MB, from ${leastMemoryMb} on`, holds: (value) => isNumber(value, leastMemoryMb, 1e6) },
  cpuSeconds: { is: 'a number of seconds, from 1 on', holds: (value) => isNumber(value, 1, longestSeconds) },
  processes: {
    is: 'a whole number from 1 to 64',
    holds: (value) => isNumber(value, 1, 64) && Number.isInteger(value),
  },
  firstAnswerSeconds: {
    is: `a number of seconds, above 0 and at most ${longestSeconds}`,
    holds: (value) => isNumber(value, Number.MIN_VALUE, longestSeconds),
  },
} as const satisfies Record<keyof ParsingOptions, { is: string; holds(value: unknown): boolean }>

/** @throws AgentKitError `invalid-argument` */
export function checkParsing(parsing: ParsingOptions = {}): Required<ParsingOptions> {
  if (typeof parsing !== 'object' || parsing === null) {
    throw invalidArgument('`parsing` is an object, such as { memoryMb: 256 }.')
  }
  const known: Record<string, { is: string; holds(value: unknown): boolean }> = kinds
  for (const [name, value] of Object.entries(parsing)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (!kind) throw invalidArgument(`\`parsing\` has no "${name}". There are: ${Object.keys(kinds).join(', ')}.`)
    if (value !== undefined && !kind.holds(value)) {
      throw invalidArgument(
        `\`parsing.${name}\` is ${kind.is}, not ${typeof value === 'string' ? `"${value}"` : value}.`,
      )
    }
  }
  const { memoryMb = usualLimits.memoryMb, cpuSeconds = usualLimits.cpuSeconds } = parsing
  const { processes = usualProcesses(), firstAnswerSeconds = 60 } = parsing
  return { memoryMb, cpuSeconds, processes, firstAnswerSeconds }
}

function isNumber(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most
}
