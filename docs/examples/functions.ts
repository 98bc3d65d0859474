import { Agent, type ToolContext } from 'agentkit'

/** Where an order is. */
type Place = { kind: 'warehouse'; shelf: string } | { kind: 'road'; since: Date }

interface Filter {
  /** Orders of this customer alone. */
  customer?: string
  status?: 'open' | 'sent' | 'lost'
  /** Orders from then on. */
  since?: Date
}

/**
 * Finds orders by words.
 *
 * @param words What to look for.
 * @param filter Which orders to look at; all of them when absent.
 * @param limit How many to give.
 * @integer
 * @maximum 50
 * @returns The orders, the latest first.
 */
export async function findOrders(words: string, filter: Filter = {}, limit = 10, context?: ToolContext) {
  const { customer = context?.userId ?? '', status = 'open', since = new Date(0) } = filter
  const query = new URLSearchParams({ words, customer, status, since: since.toISOString(), limit: String(limit) })
  const response = await fetch(`https://orders.example/search?${query}`, { signal: context?.signal ?? null })
  return response.ok ? response.json() : null // null tells the model that there is no result
}

class Warehouse {
  #places = new Map<string, Place>()

  /**
   * Says where an order is now.
   * @param order Its number
   * @param place Where it is
   */
  move(order: string, place: Place) {
    this.#places.set(order, place)
  }
}

const warehouse = new Warehouse()

export const agent = new Agent({
  name: 'Shop',
  functions: [findOrders, warehouse.move.bind(warehouse)],
})
