const controls = 'select, input, textarea';

/** Puts the keyboard on the condition at a place of the builder; where there is none, on the button that adds one. */
export function focusCondition(at: number): void {
  const builder = document.querySelector('.find-builder > .find-group');
  const condition = builder?.querySelectorAll(':scope > :is(.find-rule, .find-group)')[at];
  focusFirst(condition ?? builder?.querySelector(':scope > .find-add'));
}

/** Puts the keyboard on what was added last to a group. */
export function focusAdded(group: Element | null): void {
  const added = group?.querySelectorAll(':scope > :is(.find-rule, .find-group)');
  focusFirst(added?.[added.length - 1]);
}

/** Puts the keyboard on the button that adds a condition to the group around something that goes. */
export const focusAdder = (gone: Element): void =>
  focusFirst(gone.parentElement?.closest('.find-group')?.querySelector(':scope > .find-add'));

function focusFirst(within: Element | null | undefined): void {
  // A group begins with how its conditions are joined; what one came to fill in stands in its first condition.
  const rule = within?.matches('.find-group') === true ? within.querySelector('.find-rule') : within;
  const first = (rule ?? within)?.querySelector<HTMLElement>(`${controls}, button`);
  first?.focus();
  first?.scrollIntoView({ block: 'nearest' });
}
