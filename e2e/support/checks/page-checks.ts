/** Checks that apply to every page and to everything that opens over one. */
import { expect, type Locator, type Page } from '@playwright/test';
import { expectAccessibleInBothThemes, expectAccessibleInDark, expectAccessibleLayout } from '../actions.ts';

export const VIEWPORT_WIDTHS = [1280, 390];
const VIEWPORT_HEIGHT = 800;

export const pageHeading = (page: Page): Locator => page.getByRole('heading', { level: 1 });

/** The part of TanStack Router that it publishes on every page. */
interface PublishedRouter {
  stores: {
    status: { get(): 'idle' | 'pending' };
    resolvedLocation: { get(): { publicHref: string } | undefined };
  };
}

/** Opens a path of the console without loading the document again, and waits until its page is there. */
export async function followPath(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState({}, '', to), path);
  const isThere = () =>
    page.evaluate(() => {
      const { stores } = Reflect.get(globalThis, '__TSR_ROUTER__') as PublishedRouter;
      const { pathname, search, hash } = location;
      return (
        stores.status.get() === 'idle' &&
        stores.resolvedLocation.get()?.publicHref === pathname + search + hash
      );
    });
  await expect.poll(isThere, `${path} is open`).toBe(true);
}

/** Parts around the page that never scroll: only the page, down, and parts of it do. */
const UNSCROLLED = 'html, #root, .shell, .screen:has(> .shell)';

/**
 * Expects that nothing is wider than the window or the page and that the document is exactly as high as it: an element that escapes
 * its scroll container makes the document higher, and the frame could then be scrolled away.
 */
export async function expectFits(page: Page): Promise<void> {
  const getOverflow = () =>
    page.evaluate((unscrolled) => {
      const main = document.querySelector('#main');
      const widths = [
        document.documentElement.scrollWidth - window.innerWidth,
        main ? main.scrollWidth - main.clientWidth : 0,
      ];
      const tooHigh = [...document.querySelectorAll(unscrolled)]
        .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)
        .map(
          ({ tagName, id, className, scrollHeight, clientHeight }) =>
            `${tagName} ${id} ${className}: ${scrollHeight - clientHeight} px`,
        );
      return { tooWide: Math.max(...widths, 0), tooHigh };
    }, UNSCROLLED);
  await expect.poll(getOverflow, `${page.url()} fits the window`).toEqual({ tooWide: 0, tooHigh: [] });
}

/**
 * Expects that the current page fits its width and has no axe violations. Colors are scanned at the width of a desktop, in both
 * themes: they do not depend on the width.
 */
export async function checkPage(page: Page): Promise<void> {
  await expectFits(page);
  const isNarrow = (page.viewportSize()?.width ?? 0) < 768;
  await (isNarrow ? expectAccessibleLayout(page) : expectAccessibleInBothThemes(page));
}

/**
 * Checks what opens over a page: as `checkPage`, but on a phone with all rules in the dark theme, because dialogs and menus there have
 * parts that a desktop does not show.
 */
export async function checkOverlay(page: Page): Promise<void> {
  const isNarrow = (page.viewportSize()?.width ?? 0) < 768;
  if (!isNarrow) return checkPage(page);
  await expectFits(page);
  await expectAccessibleInDark(page);
}

/** Waits until the page was laid out and painted. */
const waitForFrames = (page: Page) =>
  page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));

/** Sets the width of a desktop or a phone and waits for the layout. */
export async function setWidth(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: VIEWPORT_HEIGHT });
  await waitForFrames(page);
}

/** Expects that turning the wheel over the frame moves neither the frame nor the page. */
export async function expectFrameStays(page: Page): Promise<void> {
  const readPositions = () =>
    page.evaluate(() =>
      ['.top', '.shell-side', '#main', '#page-title'].map(
        (part) => document.querySelector(part)?.getBoundingClientRect().top,
      ),
    );
  const before = await readPositions();
  const frame = page.getByRole('navigation', { name: 'Areas' });
  for (const part of [page.getByRole('banner'), ...((await frame.isVisible()) ? [frame] : [])]) {
    await part.hover({ position: { x: 4, y: 4 }, force: true });
    await page.mouse.wheel(0, 2000);
    await waitForFrames(page);
  }
  expect(await readPositions(), `${page.url()} stays under the wheel`).toEqual(before);
}

/** Checks a page at the widths of a phone and, at last, a desktop without reloading. */
export async function checkPageAtWidths(page: Page): Promise<void> {
  for (const width of VIEWPORT_WIDTHS.toReversed()) {
    await setWidth(page, width);
    await checkPage(page);
  }
}

/** Opens something over the page, checks it, and closes it with Escape. */
export async function checkOpened(
  page: Page,
  role: 'menu' | 'dialog' | 'alertdialog' | 'listbox',
  open: () => Promise<unknown>,
  how: (page: Page) => Promise<void> = checkOverlay,
): Promise<void> {
  await open();
  const opened = page.getByRole(role);
  await expect(opened.first()).toBeVisible();
  await how(page);
  await page.keyboard.press('Escape');
  await expect(opened).toHaveCount(0);
}

/**
 * Expects that the centre of every control in view is not covered by something else; with a dialog or panel open, of its
 * controls and of the messages.
 */
export async function expectNothingCovered(page: Page): Promise<void> {
  const findCovered = () =>
    page.evaluate(() => {
      const modal = [...document.querySelectorAll('.overlay')].at(-1);
      const roots = modal
        ? [modal, ...document.querySelectorAll('[data-react-aria-top-layer]')]
        : [document.body];
      const controls = roots.flatMap((root) => [
        ...root.querySelectorAll('a[href], button, input, select, textarea, [role=tab], [role=switch]'),
      ]);
      /** The centre, unless a scroll container or the window cuts it off. */
      // oxlint-disable-next-line unicorn/consistent-function-scoping -- runs in the page
      const findCentre = (control: Element) => {
        const { left, top, width, height } = control.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        for (let around: Element | null = control; around; around = around.parentElement) {
          const box = around.getBoundingClientRect();
          if (getComputedStyle(around).overflow === 'visible' && around !== document.body) continue;
          if (x < box.left || x > box.right || y < box.top || y > box.bottom) return undefined;
        }
        return width > 1 && height > 1 && control.checkVisibility({ visibilityProperty: true })
          ? { x, y }
          : undefined;
      };
      const covered = controls.flatMap((control) => {
        const centre = findCentre(control);
        if (!centre) return [];
        const hit = document.elementFromPoint(centre.x, centre.y);
        const isHit =
          hit &&
          (control.contains(hit) || hit.contains(control) || hit.closest('label')?.control === control);
        const name = control.getAttribute('aria-label') ?? control.textContent;
        return isHit ? [] : [`${name} under ${hit?.className}`];
      });
      return { hasControls: controls.length > 0, covered };
    });
  await expect.poll(findCovered, `controls of ${page.url()}`).toEqual({ hasControls: true, covered: [] });
}
