/**
 * Points of a line through the values, for a box of `width` × `height`; the highest value, or a limit above it, touches its top. The
 * lowest one touches the bottom.
 */
export function toLinePoints(
  values: readonly number[],
  width: number,
  height: number,
  limit = -Infinity,
): string {
  const low = Math.min(...values);
  const range = Math.max(...values, limit) - low;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values
    .map((value, index) => {
      // A line of equal values lies in the middle.
      const share = range === 0 ? 0.5 : (value - low) / range;
      return `${(index * step).toFixed(1)},${(height - share * height).toFixed(1)}`;
    })
    .join(' ');
}
