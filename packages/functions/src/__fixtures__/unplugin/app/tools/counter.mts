export class Counter {
  total: number

  constructor(total: number) {
    this.total = total
  }

  /**
   * Adds to the total.
   * @param amount How much to add.
   * @returns The new total.
   */
  add(amount: number): number {
    this.total += amount
    return this.total
  }
}

/**
 * Greets somebody.
 * @param name Whom to greet.
 */
export default function greet(name: string): string {
  if (name === '') throw new Error('There is nobody to greet.')
  return `Hello, ${name}!`
}
