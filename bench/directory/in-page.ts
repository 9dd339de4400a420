/** What runs in the page that is measured. Each function is sent there as text and knows nothing outside itself. */

/**
 * Milliseconds from the next input into the search until the grid has been painted with so many rows, all of them
 * there.
 */
export function untilPainted(rows: number): Promise<number> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`No ${rows} rows after a keystroke`)), 60_000);
    let began = 0;
    const isThere = () =>
      began > 0 &&
      document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') === String(rows) &&
      !document.querySelector('[role=grid] tr[aria-busy]');
    const observer = new MutationObserver(() => {
      if (!isThere()) return;
      observer.disconnect();
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(performance.now() - began));
      port1.start();
      requestAnimationFrame(() => port2.postMessage(undefined));
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        began = timeStamp;
      },
      { once: true, capture: true },
    );
  });
}

/** How many rows the grid has when nothing changes any more; 0 where nobody is found. */
export async function settledRows(): Promise<number> {
  // oxlint-disable-next-line unicorn/consistent-function-scoping
  const read = () => Number(document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') ?? 0);
  // oxlint-disable-next-line unicorn/consistent-function-scoping
  const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
  let before = read();
  for (let same = 0; same < 4;) {
    // Looks again and again.
    await pause();
    const now = read();
    same = now === before ? same + 1 : 0;
    before = now;
  }
  return before;
}
