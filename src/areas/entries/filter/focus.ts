// Without the hidden inputs that selects have for forms.
const CONTROLS = '.select-trigger, input:not([tabindex="-1"]), textarea';

/** Focuses the condition at an index of the builder, or the button that adds one if there is none. */
export function focusCondition(index: number): void {
  const builder = document.querySelector('.find-builder > .find-group');
  const condition = builder?.querySelectorAll(':scope > :is(.find-rule, .find-group)')[index];
  focusFirst(condition ?? builder?.querySelector(':scope > .find-add'));
}

/** Focuses the condition added last to a group. */
export function focusAdded(group: Element | null): void {
  const added = group?.querySelectorAll(':scope > :is(.find-rule, .find-group)');
  focusFirst(added?.[added.length - 1]);
}

/** Focuses the button that adds a condition to the group around a removed element. */
export const focusAdder = (removed: Element): void =>
  focusFirst(removed.parentElement?.closest('.find-group')?.querySelector(':scope > .find-add'));

/** Focuses the button that opens the filter, or else the page heading. */
export const focusFilter = (): void =>
  (
    document.querySelector<HTMLElement>('#ent-find') ?? document.querySelector<HTMLElement>('#page-title')
  )?.focus({ preventScroll: true });

function focusFirst(container: Element | null | undefined): void {
  // A group starts with its all/any select; the value to fill in is in its first condition.
  const condition =
    container?.matches('.find-group') === true ? container.querySelector('.find-rule') : container;
  const first = (condition ?? container)?.querySelector<HTMLElement>(`${CONTROLS}, button`);
  first?.focus();
  first?.scrollIntoView({ block: 'nearest' });
}
