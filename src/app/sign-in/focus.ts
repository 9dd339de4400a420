/** For the `ref` of a part that comes on screen to be typed into. Not by autoFocus: a dialog around it takes that away. */
export const focusFirstField = (part: HTMLElement | null): void => part?.querySelector('input')?.focus();

/** The same for a part that is to be decided about: the first of the buttons at its foot is the careful one. */
export const focusFirstButton = (part: HTMLElement | null): void =>
  part?.querySelector<HTMLElement>('footer button')?.focus();
