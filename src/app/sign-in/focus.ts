/** Ref callback that focuses the first input of a form. `autoFocus` does not work within a dialog, which takes the focus. */
export const focusFirstField = (part: HTMLElement | null): void => part?.querySelector('input')?.focus();

/** Ref callback that focuses the first button of the footer, which is the safe choice. */
export const focusFirstButton = (part: HTMLElement | null): void =>
  part?.querySelector<HTMLElement>('footer button')?.focus();

/** Ref callback that focuses the primary button. */
export const focusPrimaryButton = (part: HTMLElement | null): void =>
  part?.querySelector<HTMLElement>('footer .btn-primary')?.focus();
