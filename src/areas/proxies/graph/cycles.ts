type Next = (id: number) => readonly number[];

/** Everybody in the order in which a walk in depth leaves them; by hand, for a long chain would exhaust the stack. */
function leavingOrder(ids: readonly number[], next: Next, seen = new Set<number>()): number[] {
  const order: number[] = [];
  for (const start of ids) {
    if (seen.has(start)) continue;
    seen.add(start);
    const way = [{ id: start, rest: next(start).values() }];
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const { value, done } = here.rest.next();
      if (done) {
        order.push(here.id);
        way.pop();
      } else if (!seen.has(value)) {
        seen.add(value);
        way.push({ id: value, rest: next(value).values() });
      }
    }
  }
  return order;
}

/**
 * Who can be reached from themselves, with a number for each circle (Kosaraju: those who reach each other and are
 * reached by each other are found by a second walk, backwards, in the order of the first).
 */
export function cyclesOf(ids: readonly number[], next: Next): Map<number, number> {
  const before = Map.groupBy(
    ids.flatMap((from) => next(from).map((to) => ({ from, to }))),
    ({ to }) => to,
  );
  const seen = new Set<number>();
  const cycles = new Map<number, number>();
  let number = 0;
  for (const start of leavingOrder(ids, next).toReversed()) {
    const circle = leavingOrder([start], (id) => before.get(id)?.map(({ from }) => from) ?? [], seen);
    if (circle.length < 2) continue;
    number += 1;
    for (const id of circle) cycles.set(id, number);
  }
  return cycles;
}
