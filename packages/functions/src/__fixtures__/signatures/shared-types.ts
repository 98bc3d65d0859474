/** Where a letter goes. */
export interface PostalAddress {
  /** First and last name. */
  name: string
  lines: string[]
  country: Country
}

export type Country = 'no' | 'se' | 'dk'

/**
 * A weight in grams.
 * @integer
 * @minimum 1
 */
export type Grams = number

export interface Parcel<Content = string> {
  weight: Grams
  content: Content
}

export default interface Sender {
  company: string
  since?: Date
}
