/** Function that runs in the table page of Directus. Playwright serializes it, so it uses nothing outside itself. */

/** Selector of a loaded row of the table. */
export const ROW_SELECTOR = '.layout-tabular tbody tr.table-row';

/** Presses the button of the last page; returns the milliseconds until other rows are painted. */
export function measureLastPage({
  rowSelector,
  timeoutMs,
}: {
  rowSelector: string;
  timeoutMs: number;
}): Promise<number> {
  const button = [...document.querySelectorAll<HTMLElement>('.v-pagination .page button')].at(-1);
  const readFirstRow = () => document.querySelector(rowSelector)?.textContent;
  const previous = readFirstRow();
  if (!button || previous === undefined) throw new Error('The table has no pages');
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    setTimeout(() => reject(new Error('The rows of the last page were not shown in time')), timeoutMs);
    const poll = () => {
      const current = readFirstRow();
      if (current === undefined || current === previous) {
        requestAnimationFrame(poll);
        return;
      }
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(performance.now() - startMs));
      port1.start();
      requestAnimationFrame(() => port2.postMessage(undefined));
    };
    button.click();
    poll();
  });
}
