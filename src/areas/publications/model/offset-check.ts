/** Faults of a reading that a list of its offsets shows: offsets of a topic have no gaps and come in order. */
export interface OffsetCheck {
  count: number;
  first: number;
  last: number;
  /** Ranges between the first and the last that are missing, both ends included. */
  gaps: readonly { from: number; to: number }[];
  /** Offsets that came more than once, each named once. */
  repeated: readonly number[];
  /** Offsets that came after a higher one without having come before. */
  late: readonly number[];
}

/** Finds offsets in a pasted text: numbers, or messages with `topicOffset` as JSON. */
export function parseOffsets(text: string): number[] {
  const named = [...text.matchAll(/"topicOffset"\s*:\s*(\d{1,15})\b/g)].map(([, offset]) => Number(offset));
  return named.length > 0 ? named : [...text.matchAll(/\b\d{1,15}\b/g)].map(([offset]) => Number(offset));
}

/** Checks offsets in the order in which they were read; undefined without any. */
export function checkOffsets(offsets: readonly number[]): OffsetCheck | undefined {
  const seen = new Set<number>();
  const repeated = new Set<number>();
  const late: number[] = [];
  let highest = -1;
  for (const offset of offsets) {
    if (seen.has(offset)) repeated.add(offset);
    else if (offset < highest) late.push(offset);
    seen.add(offset);
    highest = Math.max(highest, offset);
  }
  const sorted = [...seen].toSorted((a, b) => a - b);
  const [first] = sorted;
  if (first === undefined) return undefined;
  const gaps = sorted.flatMap((offset, index) => {
    const next = sorted[index + 1];
    return next === undefined || next === offset + 1 ? [] : [{ from: offset + 1, to: next - 1 }];
  });
  return { count: offsets.length, first, last: highest, gaps, repeated: [...repeated], late };
}
