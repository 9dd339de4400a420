/** A ref for what stands at a cell: it grows to the other side where the grid ends before it does. */
export function turn(node: HTMLElement | null): void {
  const grid = node?.closest('.eg-scroll')?.getBoundingClientRect();
  if (!node || !grid) return;
  const { right, bottom } = node.getBoundingClientRect();
  node.classList.toggle('ed-to-start', right > grid.right);
  node.classList.toggle('ed-upwards', bottom > grid.bottom);
}
