import type { ToolContext } from '@agentkit/core'

/**
 * Looks up a word in the dictionary.
 *
 * :param word: The word, in its base form.
 * :param str language: The language of the word,
 *     as a two-letter code.
 * :return: Its meanings, the usual one first.
 */
export function lookUpWord(word: string, language: string): unknown[] {
  return [word, language]
}

/**
 * Translates a text.
 *
 * Keeps names, numbers and markup as they are.
 * A text of more than 5,000 characters is split.
 *
 * Formality is a matter of the target language:
 * - German and French know it,
 * - English does not.
 *
 * @param text - The text to translate.
 * @arg target - The language to translate to.
 * @argument {boolean} formal Whether to be formal.
 *   Ignored where the language does not know it.
 * @return The translation.
 */
export function translate(text: string, target: string, formal: boolean): unknown[] {
  return [text, target, formal]
}

/**
 * Sends a mail from agent@example.com to somebody; see {@link listContacts} for who there is.
 *
 * @param {string} to The address, such as ada@example.com. Use {@link listContacts} to find it.
 * @param {string} subject One line.
 * @param {string[]} [copies] Who else gets it.
 * @returns {Promise<string>} The id of the mail.
 * @throws {Error} When the address does not exist.
 * @example
 * await sendMail('ada@example.com', 'Hello')
 * @see listContacts
 * @deprecated Use `postMail`.
 * @since 2.0
 */
export async function sendMail(to: string, subject: string, copies?: string[]): Promise<unknown[]> {
  return [to, subject, copies]
}

export function listContacts(): unknown[] {
  return []
}

/**
 * @param {number} left the one
 * @param {number} right the other
 * @returns the sum
 */
export function add(left: number, right: number): unknown[] {
  return [left, right]
}

/** A place on earth, in degrees. */
interface Place {
  latitude: number
  longitude: number
}

/**
 * Measures how far it is.
 * :param destination: Where to go.
 * :param destination.latitude: Its latitude; the north is positive.
 * :returns: Kilometres.
 */
export function measureDistance(origin: Place, destination: Place): unknown[] {
  return [origin, destination]
}

// A comment that is not for the model.
/**
 * Runs a query on the sales database.
 *
 * Only `SELECT` is allowed. For example:
 *
 * ```sql
 * SELECT name FROM customers
 * ```
 *
 * @param sql The query.
 * @param {ToolContext} context Who asks.
 */
export async function queryDatabase(sql: string, context: ToolContext): Promise<unknown[]> {
  return [sql, context.userId]
}
