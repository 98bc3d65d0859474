export type Currency = 'EUR' | 'USD'

export interface Money {
  /** At least one cent. @minimum 0.01 */
  amount: number
  currency: Currency
}
