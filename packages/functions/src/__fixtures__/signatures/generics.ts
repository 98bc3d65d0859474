interface Article {
  id: string
  title: string
  /** Whether readers see it. */
  published?: boolean
  readonly views: number
}

/**
 * Sorts the articles of the front page.
 * @param by What to sort by.
 * @param direction Which way.
 */
export function sortArticles<Column extends keyof Article>(by: Column, direction: 'up' | 'down'): unknown[] {
  return [by, direction]
}

/**
 * Saves articles.
 * @param articles The articles, new or changed.
 */
export function saveArticles<Entry extends { id: string; title: string }>(articles: Entry[]): unknown[] {
  return [articles]
}

/**
 * Changes an article.
 * @param id Which one.
 * @param changes What is to be different.
 * @param preview How the reader sees it.
 */
export function changeArticle(
  id: Article['id'],
  changes: Partial<Omit<Article, 'id' | 'views'>>,
  preview: Required<Pick<Article, 'title' | 'published'>>,
): unknown[] {
  return [id, changes, preview]
}

type Event = { type: 'view' } | { type: 'share'; network: string } | { type: 'leave' }
type Channel = 'mail' | 'push' | 'letter' | undefined

/**
 * Subscribes to what readers do.
 * @param events Which events to hear of.
 * @param share A share to begin with.
 * @param channel How to be told.
 * @param fallback How to be told when that fails.
 */
export function subscribe(
  events: Exclude<Event['type'], 'leave'>[],
  share: Extract<Event, { type: 'share' }>,
  channel: NonNullable<Channel>,
  fallback: Readonly<{ channel: Exclude<Channel, 'mail'> }>,
): unknown[] {
  return [events, share, channel, fallback]
}

type Day = 'saturday' | 'sunday'

/**
 * Sets the opening hours of the weekend.
 * @param hours For each day, such as "9-17".
 * @param staff How many people work, for each day.
 * @param notes For the days that need one.
 */
export function setHours(
  hours: { [day in Day]: string },
  staff: Record<Day, number>,
  notes: Partial<Record<Day, string>>,
): unknown[] {
  return [hours, staff, notes]
}

type Item<List> = List extends readonly (infer Each)[] ? Each : never
async function loadProfile(_id: string, _fresh: boolean): Promise<{ nick: string; age: number }> {
  return { nick: '', age: 0 }
}

/**
 * Compares two profiles.
 * @param profile The one.
 * @param others The ids of the others.
 * @param nickname Another name for the first.
 */
export function compareProfiles(
  profile: Awaited<ReturnType<typeof loadProfile>>,
  others: Parameters<typeof loadProfile>[0][],
  nickname: Item<string[]>,
): unknown[] {
  return [profile, others, nickname]
}

interface Page<Entry, Cursor extends string | number = string> {
  entries: Entry[]
  next?: Cursor
}

/**
 * Shows a page of a list.
 * @param page The page.
 * @param counts One with numbers.
 */
export function showPage(page: Page<{ label: string }>, counts: Page<number, number>): unknown[] {
  return [page, counts]
}

/**
 * Paints the background.
 * @param color A colour, such as #ff8800.
 * @param width How wide.
 * @param corner Where to begin.
 */
export function paint(
  color: `#${string}`,
  width: `${number}px` | `${number}%`,
  corner: `${'top' | 'bottom'}-${'left' | 'right'}`,
): unknown[] {
  return [color, width, corner]
}

type UserId = string & { readonly __brand: 'UserId' }
type Cents = number & { readonly __unit: unique symbol }

/**
 * Charges a user.
 * @param user Who pays.
 * @param amount How much.
 * @param currency In which currency.
 */
export function charge(user: UserId, amount: Cents, currency: Uppercase<'eur' | 'usd'>): unknown[] {
  return [user, amount, currency]
}

const defaults = { theme: 'dark', fontSize: 14, ruler: [80, 120] }

/**
 * Changes the settings of the editor.
 * @param settings All of them.
 * @param only Which of them to store.
 */
export function changeSettings(settings: typeof defaults, only: (keyof typeof defaults)[]): unknown[] {
  return [settings, only]
}
