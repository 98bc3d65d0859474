/**
 * Doubles a number.
 * @param value What to double.
 */
export const double = (value: number): number => value * 2
