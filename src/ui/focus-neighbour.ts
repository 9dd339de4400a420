/** Moves the focus to the button of the next or previous list item; call it before the item of `button` is removed. */
export function focusNeighbour(button: Element): void {
  const line = button.closest('li');
  const next = line?.nextElementSibling ?? line?.previousElementSibling;
  next?.querySelector<HTMLElement>('button')?.focus();
}
