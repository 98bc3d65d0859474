/** A copy of the numbers in an array of twice the length. */
export function grown<Numbers extends Uint32Array | Uint16Array | Uint8Array>(numbers: Numbers): Numbers {
  // The constructor of a typed array returns an array of the same type.
  const larger = new (numbers.constructor as new (length: number) => Numbers)(numbers.length * 2)
  larger.set(numbers)
  return larger
}
