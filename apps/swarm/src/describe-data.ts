/**
 * Describe a list of numbers: how many there are, their sum, mean, median, smallest and largest.
 *
 * @param data The numbers.
 * @returns What is to be said of them.
 */
export function describeData(data: number[]): Description {
  if (data.length === 0) throw new Error('There are no numbers.')
  const sorted = [...data].sort((one, other) => one - other)
  const sum = data.reduce((total, number) => total + number, 0)
  const middle = (sorted[(sorted.length - 1) >> 1] as number) + (sorted[sorted.length >> 1] as number)
  return {
    count: data.length,
    sum,
    mean: sum / data.length,
    median: middle / 2,
    smallest: sorted[0] as number,
    largest: sorted[sorted.length - 1] as number,
  }
}

type Description = { count: number; sum: number; mean: number; median: number; smallest: number; largest: number }
