/** The kind of each unit, and its size in the base unit (metre, gram). */
const units = {
  meters: ['length', 1],
  kilometers: ['length', 1000],
  miles: ['length', 1609.344],
  feet: ['length', 0.3048],
  inches: ['length', 0.0254],
  grams: ['weight', 1],
  kilograms: ['weight', 1000],
  pounds: ['weight', 453.59237],
  ounces: ['weight', 28.349523125],
} as const

type Unit = keyof typeof units

/**
 * Convert a length or a weight from one unit to another.
 *
 * @param value How many of them.
 * @param from The unit to convert from.
 * @param to The unit to convert to.
 * @returns The result, with what was asked.
 */
export function convertUnits(value: number, from: Unit, to: Unit): Conversion {
  const [kind, size] = units[from]
  const [otherKind, otherSize] = units[to]
  if (kind !== otherKind) throw new Error(`${from} is a ${kind} and ${to} a ${otherKind}.`)
  return { value, from, to, result: Number(((value * size) / otherSize).toPrecision(10)) }
}

type Conversion = { value: number; from: Unit; to: Unit; result: number }
