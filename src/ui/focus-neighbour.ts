/** Before a line of a list goes: its neighbour's button takes the focus, which would be lost with it. */
export function focusNeighbour(button: Element): void {
  const line = button.closest('li');
  const next = line?.nextElementSibling ?? line?.previousElementSibling;
  next?.querySelector<HTMLElement>('button')?.focus();
}
