const holidays = new Map(Object.entries({ ada: 12, kim: 3 }))

/**
 * The days of holiday that an employee has left.
 * @param employee First name, in lower case
 */
export function daysLeft(employee: string) {
  return { employee, days: holidays.get(employee) ?? 30 }
}
