/** The vector scaled to length 1; undefined for one without direction: zeros, or values that are not numbers. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let sum = 0
  for (const number of vector) sum += number * number
  const length = Math.sqrt(sum)
  // NaN is not above 0 either.
  return length > 0 && Number.isFinite(length) ? vector.map((number) => number / length) : undefined
}

/** The cosine of two vectors of length 1. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum
}
