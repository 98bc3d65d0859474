import type { Currency, Money } from '../types.ts'

/**
 * Finds the orders of a customer.
 * @param customerId The customer's number.
 * @param since The first day to look at.
 * @param currency Only orders in this currency.
 * @returns The orders, one per line.
 */
export function findOrders(customerId: string, since: Date, currency: Currency = 'EUR'): string {
  return `${customerId} since ${since.getUTCFullYear()} in ${currency}`
}

/**
 * Pays an order back.
 * @param orderId The order's number.
 * @param money How much.
 */
export const refund = async (orderId: string, money: Money): Promise<string> => `${orderId}: ${cents(money.amount)}`

function cents(amount: number, round: (amount: number) => number = Math.round): string {
  return `${round(amount * 100)} cents`
}

export const helpers = [cents]
