/**
 * Forecasts the weather.
 * @param {string} city The city, with its country.
 * @param {number} [days=3] How many days ahead.
 * @returns {Promise<unknown[]>} One line for each day.
 */
export async function forecastDays(city, days = 3) {
  return [city, days]
}

/**
 * Sorts a table.
 * @param {string[]} columns The columns, the most important one first.
 * @param {'up' | 'down'} direction Which way.
 * @param {?string} group What to group by, if anything.
 */
export function sortTable(columns, direction, group) {
  return [columns, direction, group]
}

/**
 * Who gets something.
 * @typedef {object} Recipient
 * @property {string} name First and last name.
 * @property {string} [city] Where they live.
 */

/**
 * Sends a gift.
 * @param {Recipient} recipient
 * @param {integer} pieces How many.
 */
export const sendGift = (recipient, pieces) => [recipient, pieces]

/**
 * Lists the books of a shelf.
 * @param {Object} options How to list them.
 * @param {number} options.limit How many at most.
 * @param {string} [options.author] Only those of this author.
 */
export function listBooks(options) {
  return [options]
}

/**
 * Invites people.
 * @param {Date} at When they come.
 * @param {...string} names Who is to come.
 */
export function invite(at, ...names) {
  return [at, ...names]
}

/**
 * @callback Counter
 * @param {Record<string, number>} votes How many there are of each kind.
 * @param {boolean} [valid] Whether they count.
 * @returns {unknown[]}
 */

/**
 * Adds up votes.
 * @type {Counter}
 */
export const addVotes = (votes, valid) => [votes, valid]

/**
 * Counts votes.
 * @type {(votes: Record<string, number>, valid: boolean) => unknown[]}
 */
export const countVotes = (votes, valid) => [votes, valid]

/**
 * Prints a label.
 * @param {import('./shared-types.ts').PostalAddress} address What to print.
 * @param {{ bold?: boolean, size: 1 | 2 }} style How to print it.
 */
export function printLabel(address, { bold = true, size }) {
  return [address, { bold, size }]
}

export class Till {
  /**
   * Adds an article to the bill.
   * @param {string} article Its name.
   * @param {number} price In euros.
   * @minimum 0
   */
  addArticle(article, price) {
    return [article, price]
  }
}

/**
 * Stores anything.
 * @param value Any JSON; kept as it is.
 */
export function store(value) {
  return [value]
}

/**
 * Logs an event.
 * @param {Object} event What happened, as it came.
 * @param {Object.<string, number>} counts How often, by place.
 * @param {string=} level How important it is.
 * @param {import('@agentkit/core').ToolContext} context Who asks.
 */
export function logEvent(event, counts, level, context) {
  return [event, counts, level, context.userId]
}
