/** Points of a line through the values, for a box of `width` × `height`; the highest value touches its top. */
export function toLinePoints(values: readonly number[], width: number, height: number): string {
  const low = Math.min(...values);
  const range = Math.max(...values) - low || 1;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  // A line of equal values lies in the middle.
  const flat = Math.max(...values) === low;
  return values
    .map((value, index) => {
      const share = flat ? 0.5 : (value - low) / range;
      return `${(index * step).toFixed(1)},${(height - share * height).toFixed(1)}`;
    })
    .join(' ');
}
