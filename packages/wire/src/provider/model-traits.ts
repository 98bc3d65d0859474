/** The abilities of a provider's models, by name: general rows first, special rows last. */
export type TraitTable<Traits> = {
  /** Captures the major and the minor version of a model in its name. */
  version?: RegExp
  /** Names that have no version and mean the newest model: aliases, and models that are newer than the table. */
  newest?: RegExp
  /** The traits of a model that no row describes. */
  defaults: Traits
  /** All rows that fit a model are merged; a later row overrides an earlier one. */
  rows: readonly (readonly [models: Models, traits: Partial<Traits>])[]
}

/** Which models a row describes: those that meet all conditions. A model without a version meets none about versions. */
type Models = { name?: RegExp; since?: Version; before?: Version }

type Version = `${number}.${number}`

/** The traits of a model by its name. */
export function modelTraits<Traits extends object>(
  model: string,
  { version: pattern, newest, defaults, rows }: TraitTable<Traits>,
): Traits {
  const [, major, minor] = pattern?.exec(model) ?? []
  const aliased = newest?.test(model) ? Number.POSITIVE_INFINITY : Number.NaN
  const version = major === undefined ? aliased : orderOf(major, minor)
  const fitting = rows.filter(
    ([{ name, since, before }]) =>
      (name === undefined || name.test(model)) &&
      (since === undefined || version >= orderOf(...since.split('.'))) &&
      (before === undefined || version < orderOf(...before.split('.'))),
  )
  return Object.assign({}, defaults, ...fitting.map(([, traits]) => traits))
}

/** 4.10 comes after 4.9. */
function orderOf(major = '0', minor = '0'): number {
  return Number(major) * 100 + Number(minor)
}
