/** Dots between thousands: where a comma follows, or more than one dot, a number is no decimal number of English. */
const dotted = /^\d{1,3}(?:\.\d{3})+,\d+$|^\d{1,3}(?:\.\d{3}){2,}$/

/** A number as it is written in most of Europe, in English without commas: `1.234,56` as `1234.56`. Others stay. */
export function withoutDots(number: string): string {
  return dotted.test(number) ? number.replaceAll('.', '').replace(',', '.') : number
}
