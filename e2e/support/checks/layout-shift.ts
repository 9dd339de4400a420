/** Layout shifts of the current page, as the browser reports them. */
import type { Page } from '@playwright/test';

interface LayoutShiftEntry extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null }[];
}

/** Shifts observed in the page since the last reset. */
interface ShiftRecord {
  total: number;
  /** Elements that moved, for the message of a failure. */
  moved: string[];
}

/** Observes layout shifts in all documents that the page loads from now on. */
export const observeLayoutShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const record: ShiftRecord = { total: 0, moved: [] };
    Reflect.set(globalThis, '__layoutShifts', record);
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- runs in the page
    const describe = (node: Node | null): string => {
      const element = node instanceof Element ? node : node?.parentElement;
      return element ? `${element.tagName.toLowerCase()}.${element.className}` : 'removed';
    };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShiftEntry[]) {
        if (entry.hadRecentInput) continue;
        record.total += entry.value;
        record.moved.push(
          `${entry.value.toFixed(3)} ${entry.sources.map(({ node }) => describe(node)).join(', ')}`,
        );
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** Returns the shifts since the last call, and starts over. */
export const takeLayoutShifts = (page: Page): Promise<ShiftRecord> =>
  page.evaluate(() => {
    const record = Reflect.get(globalThis, '__layoutShifts') as ShiftRecord | undefined;
    const taken = { total: record?.total ?? 0, moved: record?.moved ?? [] };
    Reflect.set(record ?? {}, 'total', 0);
    Reflect.set(record ?? {}, 'moved', []);
    return taken;
  });
