import type { Page } from '@playwright/test';

declare global {
  interface Window {
    /** When the first rows were painted, in milliseconds after the navigation began. */
    firstRows?: number;
    /** Long tasks since the last measurement. */
    longTasks?: number[];
  }
}

/** Selector of a loaded row of a grid. */
export const GRID_ROW = '[role=grid] tbody tr[aria-rowindex]:not([aria-busy])';

/** Records when a row is first painted, and each long task. Sent to the page as text, so it uses nothing outside itself. */
export function watch(row: string): void {
  const observer = new MutationObserver(() => {
    if (!document.querySelector(row)) return;
    observer.disconnect();
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      window.firstRows ??= performance.now();
    });
    port1.start();
    requestAnimationFrame(() => port2.postMessage(undefined));
  });
  observer.observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['aria-busy'],
  });
  const tasks: number[] = [];
  window.longTasks = tasks;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  }).observe({ type: 'longtask' });
}

/** Milliseconds from the navigation until the first rows were painted. */
export async function firstRows(page: Page, timeout: number): Promise<number> {
  await page.waitForFunction(() => window.firstRows !== undefined, undefined, { timeout });
  return page.evaluate(() => window.firstRows ?? 0);
}

/** Durations of the long tasks during `work`, in milliseconds. */
export async function longTasks(page: Page, work: () => Promise<unknown>): Promise<number[]> {
  await page.evaluate(() => window.longTasks?.splice(0));
  await work();
  // The browser reports long tasks with a delay and announces nothing after the last one.
  await page.waitForTimeout(300);
  return page.evaluate(() => window.longTasks ?? []);
}
