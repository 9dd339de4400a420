/** Functions that run in the measured page. Playwright serializes them, so they use nothing outside themselves. */

/** Milliseconds from the next keystroke until the grid has been painted with `rows` rows, all of them loaded. */
export function measureTimeToPaint(rows: number): Promise<number> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`No ${rows} rows after a keystroke`)), 60_000);
    let startMs = 0;
    const isPainted = () =>
      startMs > 0 &&
      document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') === String(rows) &&
      !document.querySelector('[role=grid] tr[aria-busy]');
    const observer = new MutationObserver(() => {
      if (!isPainted()) return;
      observer.disconnect();
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(performance.now() - startMs));
      port1.start();
      requestAnimationFrame(() => port2.postMessage(undefined));
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        startMs = timeStamp;
      },
      { once: true, capture: true },
    );
  });
}

/** Waits until the row count of the grid stays the same for 400 ms; returns it, or 0 if the list is empty. */
export async function waitForStableRowCount(): Promise<number> {
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the function is serialized
  const readRowCount = () =>
    Number(document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') ?? 0);
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the function is serialized
  const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
  let previous = readRowCount();
  for (let unchanged = 0; unchanged < 4;) {
    // The page has no event for a finished search, so its row count is polled.
    await pause();
    const current = readRowCount();
    unchanged = current === previous ? unchanged + 1 : 0;
    previous = current;
  }
  return previous;
}
