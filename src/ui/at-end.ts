let standing = 0;

/**
 * For the `ref` of what has buttons at the end of the page: the root says that there is such a thing, and what floats
 * there makes room. A rule with `:has()` over the whole page would be looked at again with every row that scrolls.
 */
export function atEnd(element: Element | null): (() => void) | undefined {
  if (!element) return undefined;
  const { dataset } = document.documentElement;
  standing += 1;
  dataset['atEnd'] = '';
  return () => {
    standing -= 1;
    if (standing === 0) delete dataset['atEnd'];
  };
}
