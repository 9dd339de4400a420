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

/** Puts the keyboard on what opens the filter, where there is that, or on the heading of the page. */
export const focusFilter = (): void =>
  (
    document.querySelector<HTMLElement>('#ent-find') ?? document.querySelector<HTMLElement>('#page-title')
  )?.focus({ preventScroll: true });

/** Puts the keyboard on the condition before one that goes; where another one takes its place, it is there already. */
export function focusBeside(chip: Element | null): void {
  const chips = [...(chip?.parentElement?.querySelectorAll('.where-chip') ?? [])];
  if (chips.at(-1) !== chip) return;
  const before = chips.at(-2)?.querySelector<HTMLElement>('.where-clear');
  if (before) before.focus();
  else focusFilter();
}

function focusFirst(within: Element | null | undefined): void {
  // A group begins with how its conditions are joined; what one came to fill in stands in its first condition.
  const rule = within?.matches('.find-group') === true ? within.querySelector('.find-rule') : within;
  const first = (rule ?? within)?.querySelector<HTMLElement>(`${controls}, button`);
  first?.focus();
  first?.scrollIntoView({ block: 'nearest' });
}
