type Numbers = Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

const LEAST = 256;

/** The same numbers with room for `length` of them, and for more to come. */
export function grown<Kind extends Numbers>(numbers: Kind, length: number): Kind {
  if (numbers.length >= length) return numbers;
  const make = numbers.constructor as new (size: number) => Kind;
  const wider = new make(Math.max(length, Math.ceil(numbers.length * 1.5), LEAST));
  wider.set(numbers);
  return wider;
}
