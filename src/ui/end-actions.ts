let mountedCount = 0;

/**
 * Ref callback for elements with buttons at the end of the page: sets an attribute on the root, so that the floating job
 * tray leaves space. A `:has()` rule over the page would be evaluated again with every scrolled row.
 */
export function markEndActions(element: Element | null): (() => void) | undefined {
  if (!element) return undefined;
  const { dataset } = document.documentElement;
  mountedCount += 1;
  dataset['atEnd'] = '';
  return () => {
    mountedCount -= 1;
    if (mountedCount === 0) delete dataset['atEnd'];
  };
}
