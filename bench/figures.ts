/** A measured value, and its upper limit, or its lower limit with `least`. */
export type Figure = { name: string; value: number; unit: string; goal: number; least?: true }

export function printFigures(figures: readonly Figure[]): void {
  console.log('figure'.padEnd(52), 'value'.padStart(10), 'goal'.padStart(10))
  for (const { name, value, unit, goal, least } of figures) {
    const isMet = least ? value >= goal : value <= goal
    const digits = value < 10 ? 2 : 0
    const cells = [
      name.padEnd(52),
      value.toFixed(digits).padStart(10),
      `${least ? '≥' : '≤'} ${goal}`.padStart(10),
      unit,
    ]
    console.log([...cells, isMet ? '' : 'missed'].join(' '))
  }
}

/** @param percent such as 99 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}
