import { UsageError } from './usage-error.ts'

/** A parser of an option's value. @throws UsageError with the range for another value */
export function wholeNumber(option: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d{1,9}$/.test(text) && number >= min && number <= max) return number
    const range = `${min} to ${max.toLocaleString('en')}`
    throw new UsageError(`${option} is a whole number from ${range}, not ${JSON.stringify(text.slice(0, 40))}.`)
  }
}
