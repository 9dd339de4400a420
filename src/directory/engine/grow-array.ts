type NumberArray =
  | Int32Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

const MIN_LENGTH = 256;

/** Returns the array, enlarged if shorter than `length`; grows by half to amortize copies. */
export function growArray<Kind extends NumberArray>(numbers: Kind, length: number): Kind {
  if (numbers.length >= length) return numbers;
  const ArrayType = numbers.constructor as new (size: number) => Kind;
  const enlarged = new ArrayType(Math.max(length, Math.ceil(numbers.length * 1.5), MIN_LENGTH));
  enlarged.set(numbers);
  return enlarged;
}
