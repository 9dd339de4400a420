/** What runs in the table of Directus. The function is sent there as text and knows nothing outside itself. */

/** A row of its table that is there. */
export const ROW = '.layout-tabular tbody tr.table-row';

/** Presses the button of the last page; the milliseconds until other rows are painted. */
export function toLastPage({ row, patience }: { row: string; patience: number }): Promise<number> {
  const button = [...document.querySelectorAll<HTMLElement>('.v-pagination .page button')].at(-1);
  const shown = () => document.querySelector(row)?.textContent;
  const before = shown();
  if (!button || before === undefined) throw new Error('There is no table with pages');
  return new Promise((resolve, reject) => {
    const began = performance.now();
    setTimeout(() => reject(new Error('No rows of the last page')), patience);
    const look = () => {
      const now = shown();
      if (now === undefined || now === before) {
        requestAnimationFrame(look);
        return;
      }
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(performance.now() - began));
      port1.start();
      requestAnimationFrame(() => port2.postMessage(undefined));
    };
    button.click();
    look();
  });
}
