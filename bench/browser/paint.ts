import type { Page } from '@playwright/test';

declare global {
  interface Window {
    /** Time of the first painted row, in milliseconds since the start of the navigation. */
    firstRowsMs?: number;
    /** Durations of the long tasks since the last measurement, in milliseconds. */
    longTaskMs?: number[];
  }
}

/** Selector of a loaded row of a grid. */
export const GRID_ROW = '[role=grid] tbody tr[aria-rowindex]:not([aria-busy])';

/**
 * Records when a row is first painted, and each long task. Playwright serializes the function, so it uses nothing outside itself.
 */
export function observePaints(row: string): void {
  const observer = new MutationObserver(() => {
    if (!document.querySelector(row)) return;
    observer.disconnect();
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      window.firstRowsMs ??= performance.now();
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
  window.longTaskMs = tasks;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  }).observe({ type: 'longtask' });
}

/** Waits for the first painted rows; returns the milliseconds since the start of the navigation. */
export async function waitForFirstRows(page: Page, timeout: number): Promise<number> {
  await page.waitForFunction(() => window.firstRowsMs !== undefined, undefined, { timeout });
  return page.evaluate(() => window.firstRowsMs ?? 0);
}

/** Durations of the long tasks during `work`, in milliseconds. */
export async function measureLongTasks(page: Page, work: () => Promise<unknown>): Promise<number[]> {
  await page.evaluate(() => window.longTaskMs?.splice(0));
  await work();
  // The browser reports long tasks with a delay and announces nothing after the last one.
  await page.waitForTimeout(300);
  return page.evaluate(() => window.longTaskMs ?? []);
}
