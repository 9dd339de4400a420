/** Which fields each calculated field reads. */
export type Reads = ReadonlyMap<number, readonly number[]>;

/**
 * The calculated fields in an order in which each comes after those that it reads, or the fields of a circle, in which
 * the first one stands at the end again.
 */
export function calculationOrder(reads: Reads): { order: readonly number[] } | { circle: readonly number[] } {
  const order: number[] = [];
  const done = new Set<number>();
  const path: number[] = [];
  // As deep as the longest chain of calculated fields, at most as many as a type has fields.
  const visit = (field: number): readonly number[] | undefined => {
    if (done.has(field) || !reads.has(field)) return undefined;
    if (path.includes(field)) return [...path.slice(path.indexOf(field)), field];
    path.push(field);
    for (const read of reads.get(field) ?? []) {
      const circle = visit(read);
      if (circle) return circle;
    }
    path.pop();
    done.add(field);
    order.push(field);
    return undefined;
  };
  for (const field of reads.keys()) {
    const circle = visit(field);
    if (circle) return { circle };
  }
  return { order };
}
