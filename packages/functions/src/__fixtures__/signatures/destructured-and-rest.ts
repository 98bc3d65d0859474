/**
 * Forecasts the weather.
 * @param options
 * @param options.city The city, with its country.
 * @param options.days How many days ahead.
 */
export async function forecast({ city, days = 3 }: { city: string; days?: number }): Promise<unknown[]> {
  return [{ city, days }]
}

interface Booking {
  /** The name of the restaurant. */
  restaurant: string
  /**
   * How many people.
   * @integer
   */
  guests: number
  at: Date
  wishes?: string[]
}

/**
 * Books a table.
 * @param guests How many people, children too.
 * @param at When they come.
 */
export const bookTable = ({ restaurant, guests: people, at, ...rest }: Booking): unknown[] => [
  { restaurant, guests: people, at, ...rest },
]

type ListOptions = {
  /** Begin with this one. */
  cursor?: string
  limit?: number
}

/** Lists the customers. */
export function listCustomers({ cursor, limit = 20 }: ListOptions = {}): unknown[] {
  return [{ cursor, limit }]
}

/**
 * Writes onto the board.
 * @param text What to write.
 * @param options.bold
 */
export function writeText(text: string, { bold = false, size }: { bold?: boolean; size: number }): unknown[] {
  return [text, { bold, size }]
}

/**
 * Draws a line.
 * @param from Where it begins.
 * @param to Where it ends.
 * @param style How it looks.
 * @param style.width In pixels.
 */
export function drawLine(
  [x, y]: [number, number],
  to: [number, number],
  { width, color = 'black' }: { width: number; color?: string } = { width: 1 },
): unknown[] {
  return [[x, y], to, { width, color }]
}

/** Greets somebody by name. */
export function greet({
  person: {
    name: { first, last },
    title = 'Dr.',
  },
}: {
  person: { name: { first: string; last: string }; title?: string }
}): unknown[] {
  return [{ person: { name: { first, last }, title } }]
}

/**
 * Deletes files.
 * @param paths Which ones.
 */
export function deleteFiles(...paths: string[]): unknown[] {
  return paths
}

/**
 * Writes lines to a log.
 * @param level How important they are.
 * @param channel Where they go.
 * @param lines What to write.
 */
export function logLines(level: 'info' | 'error', channel?: string, ...lines: readonly string[]): unknown[] {
  return [level, channel, ...lines]
}

/**
 * Marks a point on the map.
 * @param label Its name.
 * @param point Where it is.
 */
export function markPoint(label: string, ...point: [latitude: number, longitude: number]): unknown[] {
  return [label, ...point]
}
