/** For the `ref` of a part that comes on screen to be typed into. Not by autoFocus: a dialog around it takes that away. */
export const focusFirstField = (part: HTMLElement | null): void => part?.querySelector('input')?.focus();
