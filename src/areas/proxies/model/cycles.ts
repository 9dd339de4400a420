type GetSuccessors = (id: number) => readonly number[];

/** Nodes in depth-first post-order. Iterative, because a long chain would exhaust the call stack. */
function depthFirstPostOrder(
  ids: readonly number[],
  getSuccessors: GetSuccessors,
  visited = new Set<number>(),
): number[] {
  const order: number[] = [];
  for (const start of ids) {
    if (visited.has(start)) continue;
    visited.add(start);
    const stack = [{ id: start, successors: getSuccessors(start).values() }];
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const { value, done } = frame.successors.next();
      if (done) {
        order.push(frame.id);
        stack.pop();
      } else if (!visited.has(value)) {
        visited.add(value);
        stack.push({ id: value, successors: getSuccessors(value).values() });
      }
    }
  }
  return order;
}

/**
 * Strongly connected components of more than one node (Kosaraju's algorithm): maps each node that can reach itself to
 * the number of its component. Nodes outside of cycles are absent.
 */
export function findCycles(ids: readonly number[], getSuccessors: GetSuccessors): Map<number, number> {
  const incoming = Map.groupBy(
    ids.flatMap((from) => getSuccessors(from).map((to) => ({ from, to }))),
    ({ to }) => to,
  );
  const visited = new Set<number>();
  const cycleById = new Map<number, number>();
  let cycle = 0;
  for (const start of depthFirstPostOrder(ids, getSuccessors).toReversed()) {
    const component = depthFirstPostOrder(
      [start],
      (id) => incoming.get(id)?.map(({ from }) => from) ?? [],
      visited,
    );
    if (component.length < 2) continue;
    cycle += 1;
    for (const id of component) cycleById.set(id, cycle);
  }
  return cycleById;
}
