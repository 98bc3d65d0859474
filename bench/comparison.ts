import { median } from './processes.ts'
import type { Measured } from './worker.ts'

/** One line of the table: medians over the rounds, per unit. */
export type Row = {
  name: string
  contestant: string
  unit: string
  /** CPU as a ratio of the baseline's in the same round: the median, the lowest and the highest. */
  ratios: [median: number, lowest: number, highest: number]
  /** Peak memory as a ratio of the baseline's. */
  peakRatio: number
} & Omit<Measured, 'units' | 'slopeMs'>

export type Contender = { round(): Promise<Measured>; stop(): void }

type Spec = {
  name: string
  unit: string
  contestants: readonly string[]
  /** The contestant with which the others are compared; the first one when absent. */
  baseline?: string
  enter(contestant: string): Promise<Contender>
}

/**
 * Compares contestants round by round (A B A B …), after each has warmed up. Ratios compare contestants within one
 * round, because other load of the machine slows down all of them.
 */
export async function interleave(
  { name, unit, contestants, baseline = contestants[0], enter }: Spec,
  { rounds, warmMs }: { rounds: number; warmMs: number },
): Promise<Row[]> {
  process.stderr.write(`${name} …\n`)
  const entered = await Promise.all(
    contestants.map(async (contestant) => ({ contestant, results: [] as Measured[], ...(await enter(contestant)) })),
  )
  for (const { round } of entered) {
    const until = performance.now() + warmMs
    do await round()
    while (performance.now() < until)
  }
  for (let played = 0; played < rounds; played++) {
    for (const { results, round } of entered) results.push(await round())
  }
  for (const { stop } of entered) stop()
  const base = entered.find(({ contestant }) => contestant === baseline)?.results ?? []
  return entered.map(({ contestant, results }): Row => {
    const ratios = results.map(({ cpuMs }, index) => cpuMs / (base[index]?.cpuMs ?? Number.NaN)).sort((a, b) => a - b)
    const middle = (read: (result: Measured) => number | undefined): number =>
      median(results.map((result) => read(result) ?? Number.NaN))
    return {
      ...{ name, contestant, unit },
      ratios: [median(ratios), ratios[0] ?? Number.NaN, ratios.at(-1) ?? Number.NaN],
      peakRatio: middle(({ peakMb }) => peakMb) / median(base.map(({ peakMb }) => peakMb)),
      cpuMs: middle(({ cpuMs }) => cpuMs),
      wallMs: middle(({ wallMs }) => wallMs),
      peakMb: middle(({ peakMb }) => peakMb),
      blockedMs: middle(({ blockedMs }) => blockedMs),
      childMb: middle(({ childMb }) => childMb),
    }
  })
}

export function print(table: readonly Row[], how: string): void {
  console.log(
    'row              contestant    unit       CPU µs     ×      from–to       wall µs    peak MB  blocked ms parser MB',
  )
  const rounded = (number = Number.NaN): string => (Number.isNaN(number) ? '' : number.toFixed(0))
  for (const { name, contestant, unit, ratios, ...row } of table) {
    const [middle, lowest, highest] = ratios.map((ratio) => ratio.toFixed(2))
    const cells = [
      name.padEnd(16),
      contestant.padEnd(13),
      unit.padEnd(10),
      (row.cpuMs * 1000).toFixed(1).padEnd(10),
      String(middle).padEnd(6),
      `${lowest}–${highest}`.padEnd(13),
      (row.wallMs * 1000).toFixed(1).padEnd(10),
      rounded(row.peakMb).padEnd(8),
      rounded(row.blockedMs).padEnd(10),
      rounded(row.childMb),
    ]
    console.log(cells.join(' ').trimEnd())
  }
  console.log(how)
}
