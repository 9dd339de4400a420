/** Actions and expectations by role and name, as users perform them. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
import { isFirefox } from './browsers/firefox.ts';
import type { Person } from './data/people.ts';

/** Signs in on the sign-in page and waits for the console. */
export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible();
}

type Cells = Readonly<Record<string, string | RegExp>>;

/** Returns the one row of a table whose cells in the named columns contain the texts. */
export async function expectRow(table: Locator, cells: Cells): Promise<Locator> {
  // Read together: the table may be drawn again between the first header and the last.
  let headers: string[] = [];
  const columns = Object.keys(cells).map((column) => column.toLowerCase());
  const findMissing = async () => {
    const texts = await table.getByRole('columnheader').allInnerTexts();
    headers = texts.map((text) => text.trim().toLowerCase());
    return columns.filter((column) => !headers.includes(column));
  };
  await expect.poll(findMissing, 'columns that the table lacks').toEqual([]);
  let rows = table.getByRole('row');
  for (const [column, text] of Object.entries(cells)) {
    const at = headers.indexOf(column.toLowerCase());
    const cell = table.page().locator('[role=gridcell], [role=rowheader], [role=cell], td, th').nth(at);
    rows = rows.filter({ has: cell.filter({ hasText: text }) });
  }
  await expect(rows).toHaveCount(1);
  return rows;
}

/** Chooses an action from the menu of a row. */
export async function chooseRowAction(row: Locator, action: string): Promise<void> {
  await row.getByRole('button', { name: /^actions/i }).click();
  await row.page().getByRole('menuitem', { name: action, exact: true }).click();
}

/** Pattern of an option: its name, which a hint may follow. */
const createOptionPattern = (name: string) => new RegExp(`^${RegExp.escape(name)}\\b`);

type FieldValue = string | boolean | readonly string[];

/** Fills the fields of a form by label: text, select, multi-select, switch. */
export async function fillForm(form: Locator, values: Readonly<Record<string, FieldValue>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await fillField(form, label, value);
}

async function fillField(form: Locator, label: string, value: FieldValue): Promise<void> {
  const name = new RegExp(`^${RegExp.escape(label)}( \\(optional\\))?$`);
  const options = form.page().getByRole('listbox');
  if (typeof value === 'boolean') {
    const box = form.getByRole('switch', { name }).or(form.getByRole('checkbox', { name }));
    await box.setChecked(value);
  } else if (typeof value !== 'string') {
    await form.getByRole('combobox', { name }).click();
    for (const one of value) await options.getByRole('option', { name: createOptionPattern(one) }).click();
    await form.getByRole('combobox', { name }).press('Escape');
    await expect(options).toBeHidden();
  } else {
    const field = form.getByLabel(name).and(form.locator('input, textarea, button')).first();
    const chooses = await field.evaluate((element) => element instanceof HTMLButtonElement);
    if (!chooses) return field.fill(value);
    await field.click();
    await options.getByRole('option', { name: createOptionPattern(value) }).click();
  }
}

/** The trigger of a select: its name is the chosen option and the label. */
export const findSelect = (scope: Page | Locator, label: string): Locator =>
  scope.getByRole('button', { name: new RegExp(`(?:^|\\s)${RegExp.escape(label)}$`) });

/** Chooses an option of a select by its name, which a hint may follow. */
export async function chooseOption(select: Locator, option: string): Promise<void> {
  await select.click();
  await select
    .page()
    .getByRole('listbox')
    .getByRole('option', { name: createOptionPattern(option) })
    // Others may begin with the same word.
    .first()
    .click();
  await expect(select.page().getByRole('listbox')).toBeHidden();
}

/** Expects a toast with the text. */
export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  await expect(page.getByRole('region', { name: 'Messages' }).getByText(text)).toBeVisible();
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];

/** Names of the chunks of the console that the page has loaded (scripts/chunks.ts), sorted. */
export async function listChunks(page: Page): Promise<string[]> {
  const addresses = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name),
  );
  return addresses
    .flatMap((address) => /\/assets\/([\w-]+)-[\w-]{8}\.js$/.exec(address)?.[1] ?? [])
    .toSorted();
}

/**
 * Hovers over a link until the code of its page is loaded, as the console preloads it, so that the page can be opened
 * while the service is down. `chunk` is the name of the page's chunk.
 */
export async function preloadPage(page: Page, link: Locator, chunk: string): Promise<void> {
  await link.hover();
  await expect.poll(() => listChunks(page)).toContain(chunk);
  await waitForResponses(page);
}

/** Makes Playwright report the ends of responses of a page, for `waitForResponses`. The pages of tests report them anyway. */
export function reportAnswers(page: Page): void {
  page.on('requestfinished', () => {});
}

/** Holds the requests to this address, or those with a method, until the function that it returns is called. */
export async function holdRequests(
  page: Page,
  url: Parameters<Page['route']>[0],
  method?: string,
): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (method === undefined || route.request().method() === method) await released;
    await route.fallback();
  });
  return release;
}

/** Waits until the requests of a page have been answered. The stream that tells of changes stays open (spec 6). */
export async function waitForResponses(page: Page): Promise<void> {
  const listUnanswered = async () =>
    (await page.requests())
      .filter((request) => request.timing().responseEnd === -1 && request.failure() === null)
      .map((request) => request.url())
      .filter((url) => !url.endsWith('/publication/positions'));
  await expect.poll(listUnanswered).toEqual([]);
}

/** Waits for finite animations to end, because axe would check intermediate colors. */
const waitForAnimations = (page: Page) =>
  page.evaluate(async () => {
    const finiteAnimations = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(finiteAnimations.map(({ finished }) => finished));
  });

/**
 * Waits until the options that fields name as their active ones exist: a list that is filtered is shown before its field names another
 * option. If one never exists, axe reports it.
 */
const waitForActiveOptions = (page: Page) =>
  page
    .waitForFunction(
      () =>
        [...document.querySelectorAll('[aria-activedescendant]')].every((field) =>
          document.querySelector(`#${CSS.escape(field.getAttribute('aria-activedescendant') ?? '')}`),
        ),
      undefined,
      { timeout: 2_000 },
    )
    .catch(() => {});

/** Source passed instead of axe when it is already loaded in the page. */
const AXE_ALREADY_LOADED = 'void 0';

/** Creates a scan that reports only violations; legacy mode is faster and sufficient without frames. */
async function createScan(page: Page): Promise<AxeBuilder> {
  const isThere = await page.evaluate(() => 'axe' in globalThis);
  const builder = new AxeBuilder({ page, ...(isThere && { axeSource: AXE_ALREADY_LOADED }) });
  return builder.options({ resultTypes: ['violations'] }).setLegacyMode();
}

async function expectNoViolations(page: Page, scan: AxeBuilder): Promise<void> {
  await waitForAnimations(page);
  await waitForActiveOptions(page);
  const { violations } = await scan.analyze();
  const descriptions = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ target }) => target.join(' '))
        .slice(0, 5)
        .join(' | ')}`,
  );
  expect(descriptions, `axe at ${page.url()}`).toEqual([]);
}

/** Expects no axe violations of WCAG on the current page, including open dialogs. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!isFirefox(page)) await expectNoViolations(page, (await createScan(page)).withTags(WCAG));
}

/** Expects no violations apart from contrast, which takes most of a scan and does not depend on the width. */
export async function expectAccessibleLayout(page: Page): Promise<void> {
  if (isFirefox(page)) return;
  await expectNoViolations(page, (await createScan(page)).withTags(WCAG).disableRules(['color-contrast']));
}

async function setColorScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
}

/** Expects no violations in both system themes; in the second one only contrast is checked. */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  if (isFirefox(page)) return;
  await setColorScheme(page, 'light');
  await expectAccessible(page);
  await setColorScheme(page, 'dark');
  await expectNoViolations(page, (await createScan(page)).withRules(['color-contrast']));
}

/** Expects no violations in the dark theme. */
export async function expectAccessibleInDark(page: Page): Promise<void> {
  if (isFirefox(page)) return;
  await setColorScheme(page, 'dark');
  await expectAccessible(page);
}

/** Selects a person in a combo box. */
export async function selectPerson(page: Page, field: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).fill(name);
  await page.getByRole('option', { name: new RegExp(`^${RegExp.escape(name)}`) }).click();
}

/** Opens a menu by its button and chooses an item. */
export async function chooseMenuItem(page: Page, menu: string | RegExp, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click();
  await page
    .getByRole('menuitem', { name: item })
    .or(page.getByRole('menuitemradio', { name: item }))
    .or(page.getByRole('menuitemcheckbox', { name: item }))
    .click();
}

/** Opens the card of a filter in a list: the chip of an active one, otherwise the entry of the menu that adds filters. */
export async function openFilter(page: Page, name: string): Promise<Locator> {
  const chip = page.getByRole('button', { name: new RegExp(`^${name} .*filter$`) });
  if (await chip.isVisible()) await chip.click();
  else {
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  }
  return page.getByRole('dialog', { name: `${name} filter` });
}

/** Gives the site the license for the agent server in Sites. */
export async function turnAgentLicenseOn(page: Page): Promise<void> {
  await page.goto('/sites/1');
  const license = page.getByRole('switch', { name: 'Agent server license' });
  if (await license.isChecked()) return;
  await license.check();
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await expectToast(page, /was saved/);
}
