/** Somebody who is to have an account. */
interface NewUser {
  /** First and last name. */
  name: string
  /**
   * Where mail goes.
   * @format email
   */
  email: string
  /**
   * In whole years.
   * @integer
   * @minimum 13
   */
  age?: number
  readonly roles: readonly ('reader' | 'writer')[]
}

/** Creates an account. */
export function createUser(user: NewUser): unknown[] {
  return [user]
}

interface Address {
  street: string
  /** The name of the city. */
  city: string
  'postal-code': string
}

/**
 * Places an order.
 * @param order What to buy.
 * @param order.items The lines of the order.
 * @param order.items[].quantity How many of them.
 * @param order.shipTo Where it goes.
 * @param order.shipTo.city The city, in English.
 * @param order.note Printed on the parcel.
 */
export async function placeOrder(order: {
  items: { sku: string; quantity: number }[]
  shipTo: Address
  note?: string | null
}): Promise<unknown[]> {
  return [order]
}

interface Person {
  name: string
}
interface Employee extends Person {
  /** Since when, as a year. */
  since: number
}

/**
 * Gives somebody an office.
 * @param employee Who gets it.
 * @param place Where it is.
 */
export function assignOffice(employee: Employee, place: { building: string } & { floor: number }): unknown[] {
  return [employee, place]
}

/**
 * Publishes translations of a text.
 * @param texts By language, such as "en".
 * @param settings For each reader group.
 */
export function publishTexts(
  texts: { [language: string]: string },
  settings: { [group: string]: { visible: boolean } },
): unknown[] {
  return [texts, settings]
}

interface Category {
  name: string
  children?: Category[]
}

/**
 * Replaces the catalogue's categories.
 * @param root The topmost category.
 */
export function replaceCategories(root: Category): unknown[] {
  return [root]
}

type Filter = { all: Filter[] } | { not: Filter } | { field: string; equals: string | number }

/**
 * Searches the archive.
 * @param filter What the entries must fulfil.
 * @param limit How many to return at most.
 */
export function searchArchive(filter: Filter, limit?: number): unknown[] {
  return [filter, limit]
}

interface Folder {
  label: string
  files: Document[]
}
interface Document {
  title: string
  /** The folder that it was moved from. */
  movedFrom?: Folder
}

/**
 * Moves folders to the archive.
 * @param folders What to move.
 */
export function archiveFolders(folders: Folder[]): unknown[] {
  return [folders]
}

/**
 * Remembers a fact about the user.
 * @param fact
 * @param fact.subject Whom or what it is about.
 */
export function rememberFact(fact: {
  /** Overruled by the tag above. */
  subject: string
  /** What is true of it. */
  statement: string
  /**
   * How sure that is.
   * @minimum 0
   * @maximum 1
   * @default 0.5
   * @title Confidence
   * @examples [0.2, 0.9]
   */
  confidence?: number
}): unknown[] {
  return [fact]
}

interface Step {
  task: string
  then: Step[]
}

/**
 * Plans a piece of work.
 * @param first What to begin with.
 */
export function planWork(first: Step): unknown[] {
  return [first]
}
