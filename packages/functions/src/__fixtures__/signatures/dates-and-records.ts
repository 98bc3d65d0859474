/**
 * Lists the events of a calendar.
 * @param from The earliest begin.
 * @param to The latest end; a day later when absent.
 */
export function listEvents(from: Date, to?: Date): unknown[] {
  return [from, to]
}

interface Meeting {
  title: string
  /** When it begins. */
  begin: Date
  end: Date | null
  reminders: Date[]
}

/**
 * Adds meetings to the calendar.
 * @param meetings What to add.
 * @param holidays By name.
 * @param span From when to when.
 */
export async function addMeetings(
  meetings: Meeting[],
  holidays: Record<string, Date>,
  span: [begin: Date, end: Date],
): Promise<unknown[]> {
  return [meetings, holidays, span]
}

/**
 * Sets when the alarm rings.
 * @param at A time, or in how many seconds.
 * @param label What it is for.
 */
export function setAlarm(at: Date | number, label: string | null): unknown[] {
  return [at, label]
}

/**
 * Imports a log.
 * @param since The time of the first entry, kept as text.
 * @format date-time
 * @param day The day of the import.
 * @format date
 */
export function importLog(since: string, day: string): unknown[] {
  return [since, day]
}

/**
 * Stores the stock of a shop.
 * @param stock How many there are, by article.
 * @param shelves Where they are, by article.
 * @param prices By article, then by currency.
 */
export function storeStock(
  stock: Record<string, number>,
  shelves: Readonly<Record<string, readonly string[]>>,
  prices: Record<string, Record<'eur' | 'usd', number>>,
): unknown[] {
  return [stock, shelves, prices]
}

/**
 * Moves the map.
 * @param center Where its middle is.
 * @param zoom From where to where, if it changes.
 * @param path What to show on the way: a name, then distances.
 */
export function moveMap(
  center: [latitude: number, longitude: number],
  zoom: readonly [number, number?],
  path: [string, ...number[]],
): unknown[] {
  return [center, zoom, path]
}

/**
 * Stores a document as it is.
 * @param document Any JSON.
 * @param labels What else is known of it.
 * @param metadata An object of any shape.
 */
export function storeDocument(document: unknown, labels: Record<string, unknown>, metadata: object): unknown[] {
  return [document, labels, metadata]
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/**
 * Patches a document.
 * @param path Where in it.
 * @param value The new value.
 */
export function patchDocument(path: string[], value: Json): unknown[] {
  return [path, value]
}
