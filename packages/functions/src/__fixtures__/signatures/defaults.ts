interface Receipt {
  status: 'success' | 'reverted'
}

/**
 * Fetches the receipt of a transaction.
 * @param transactionHash The hash of the transaction, 0x-prefixed.
 * @param options.confirmations How many blocks to wait for.
 * @returns The receipt, or null if the transaction cannot be found.
 */
export async function getTransactionReceipt(
  transactionHash: string,
  options?: { confirmations?: number },
): Promise<Receipt | null> {
  // Not what it says: the tests ask what it was given.
  return [transactionHash, options] as unknown as Receipt
}

/**
 * Searches the web.
 * @param query What to look for.
 * @param limit How many results.
 * @integer
 * @param offset How many to leave out.
 * @param safe Whether to leave out what is not for children.
 * @param language The language of the pages.
 */
export function searchWeb(query: string, limit = 10, offset = -1, safe = true, language = 'en'): unknown[] {
  return [query, limit, offset, safe, language]
}

/**
 * Fetches a page.
 * @param url Where it is.
 * @param headers What to send along.
 * @param accept The kinds to accept.
 * @param retry When to try again.
 * @param proxy Through which proxy.
 */
export function fetchPage(
  url: string,
  headers: Record<string, string> = {},
  accept: string[] = ['text/html', 'text/plain'],
  retry = { times: 3, statuses: [502, 503] },
  proxy: string | null = null,
): unknown[] {
  return [url, headers, accept, retry, proxy]
}

const longestWait = 30

/**
 * Waits for a parcel.
 * @param parcel The number of the parcel.
 * @param unit What `atMost` counts.
 * @param atMost How long to wait.
 * @param since From when on.
 */
export function awaitParcel(
  parcel: string,
  unit: 'minutes' | 'hours' = 'hours',
  atMost = longestWait,
  since: Date = new Date(),
): unknown[] {
  return [parcel, unit, atMost, since]
}

/**
 * Sets the volume of the music.
 * @param room In which room; everywhere when absent.
 * @param volume From 0 to 10.
 * @param fade
 */
export function setVolume(room: string | undefined, volume: number, fade?: number | undefined): unknown[] {
  return [room, volume, fade]
}

/**
 * Renames a file.
 * @param from
 * @param to
 * @param overwrite Whether a file of the new name may be lost.
 * @default false
 */
export const renameFile = function (from: string, to: string, overwrite?: boolean): unknown[] {
  return [from, to, overwrite]
}
