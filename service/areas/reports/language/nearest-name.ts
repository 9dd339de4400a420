const MAX_DISTANCE = 3;

const at = (list: readonly number[], index: number): number => list[index] ?? Infinity;

/** Number of characters to insert, delete, replace or swap with their neighbour to turn one text into the other. */
function getEditDistance(from: string, to: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          at(previous, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(before, column - 2) + 1 : Infinity,
        ),
      );
    }
    before = previous;
    previous = current;
  }
  return previous[to.length] ?? Infinity;
}

const normalize = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * Finds what was probably meant by a name with a typing error.
 * @param candidates names with the value that each stands for; several names may stand for the same value
 */
export function findNearest<Value>(
  name: string,
  candidates: readonly { name: string; value: Value }[],
): Value | undefined {
  const wanted = normalize(name);
  const limit = Math.min(MAX_DISTANCE, Math.max(1, Math.floor(wanted.length / 3)));
  let nearest: { value: Value; distance: number } | undefined;
  for (const candidate of candidates) {
    const known = normalize(candidate.name);
    if (Math.abs(known.length - wanted.length) > limit) continue;
    const distance = getEditDistance(wanted, known);
    if (distance <= limit && distance < (nearest?.distance ?? Infinity))
      nearest = { value: candidate.value, distance };
  }
  return nearest?.value;
}
