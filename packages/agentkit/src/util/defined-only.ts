/** The entries that are not `undefined`: an undefined option is an absent one. */
export function definedOnly<Values extends object>(
  values: Values,
): { [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  // The same keys, without those whose value is `undefined`.
  return Object.fromEntries(entries) as { [Key in keyof Values]?: Exclude<Values[Key], undefined> }
}
