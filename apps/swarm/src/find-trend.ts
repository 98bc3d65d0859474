/**
 * Analyze data for its trend: the straight line that comes closest to them (least squares).
 *
 * @param data The numbers, in their order.
 * @returns By how much they change from one to the next, on average, and in which direction.
 */
export function findTrend(data: number[]): Trend {
  if (data.length < 2) throw new Error('A trend takes two numbers.')
  const middle = (data.length - 1) / 2
  const mean = data.reduce((total, number) => total + number, 0) / data.length
  let rise = 0
  let run = 0
  for (const [index, number] of data.entries()) {
    rise += (index - middle) * (number - mean)
    run += (index - middle) ** 2
  }
  const changePerStep = Number((rise / run).toPrecision(6))
  return { changePerStep, direction: changePerStep > 0 ? 'rising' : changePerStep < 0 ? 'falling' : 'level' }
}

type Trend = { changePerStep: number; direction: 'rising' | 'falling' | 'level' }
