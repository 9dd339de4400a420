/**
 * Publishes the height of an element as a custom property of the root, so that overlays leave space for it. For ref
 * callbacks: returns what removes the property.
 */
export function publishHeight(
  element: HTMLElement | null,
  property: `--${string}`,
): (() => void) | undefined {
  if (!element) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty(property, `${element.offsetHeight}px`));
  observer.observe(element);
  return () => {
    observer.disconnect();
    style.removeProperty(property);
  };
}
