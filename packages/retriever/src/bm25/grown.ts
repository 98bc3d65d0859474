/** The numbers with as much room again behind them. */
export function grown<Numbers extends Uint32Array | Uint16Array | Uint8Array>(numbers: Numbers): Numbers {
  // The constructor of a typed array makes one of the same kind.
  const larger = new (numbers.constructor as new (length: number) => Numbers)(numbers.length * 2)
  larger.set(numbers)
  return larger
}
