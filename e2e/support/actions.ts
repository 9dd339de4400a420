/** What people do and see, by role and name. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
import type { Person } from './people.ts';

/** Signs in at the door and waits until the console is there. */
export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible();
}

type Cells = Readonly<Record<string, string | RegExp>>;

/** The row of a table whose cells under the named columns hold these texts. */
export async function expectRow(table: Locator, cells: Cells): Promise<Locator> {
  await expect(table.getByRole('columnheader').first()).toBeVisible();
  const headers = await table.getByRole('columnheader').allInnerTexts();
  let rows = table.getByRole('row');
  for (const [column, text] of Object.entries(cells)) {
    const at = headers.findIndex((header) => header.trim().toLowerCase() === column.toLowerCase());
    expect(at, `a column ${column} among ${headers.join(', ')}`).toBeGreaterThanOrEqual(0);
    const cell = table.page().locator('[role=gridcell], [role=rowheader], [role=cell], td, th').nth(at);
    rows = rows.filter({ has: cell.filter({ hasText: text }) });
  }
  await expect(rows).toHaveCount(1);
  return rows;
}

/** Chooses an action from the row's menu. */
export async function rowAction(row: Locator, action: string): Promise<void> {
  await row.getByRole('button', { name: /^actions/i }).click();
  await row.page().getByRole('menuitem', { name: action, exact: true }).click();
}

/** An option begins with its name; a hint may follow. */
const option = (name: string) => new RegExp(`^${RegExp.escape(name)}\\b`);

type Value = string | boolean | readonly string[];

/** Fills the fields of a form by their labels: text, choice, several choices, switch. */
export async function fill(form: Locator, values: Readonly<Record<string, Value>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await fillField(form, label, value);
}

async function fillField(form: Locator, label: string, value: Value): Promise<void> {
  const name = new RegExp(`^${RegExp.escape(label)}( \\(optional\\))?$`);
  const options = form.page().getByRole('listbox');
  if (typeof value === 'boolean') {
    const box = form.getByRole('switch', { name }).or(form.getByRole('checkbox', { name }));
    await box.setChecked(value);
  } else if (typeof value !== 'string') {
    await form.getByRole('combobox', { name }).click();
    for (const one of value) await options.getByRole('option', { name: option(one) }).click();
    await form.getByRole('combobox', { name }).press('Escape');
    await expect(options).toBeHidden();
  } else {
    const field = form.getByLabel(name).and(form.locator('input, textarea, button')).first();
    const chooses = await field.evaluate((element) => element instanceof HTMLButtonElement);
    if (!chooses) return field.fill(value);
    await field.click();
    await options.getByRole('option', { name: option(value) }).click();
  }
}

/** A toast with this text appears. */
export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  await expect(page.getByRole('region', { name: 'Messages' }).getByText(text)).toBeVisible();
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];

/** The code of the whole console has been fetched: nothing more of it is asked for while the service is away. */
export async function expectAllFetched(page: Page): Promise<void> {
  const names = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .join(' '),
    );
  await expect.poll(names).toMatch(/CheatSheet.*ConfirmDialog|ConfirmDialog.*CheatSheet/);
  await page.waitForLoadState('networkidle');
}

/** Waits for what moves or fades to come to rest: half-way colours are nobody's. */
const settle = (page: Page) =>
  page.evaluate(async () => {
    const passing = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(passing.map(({ finished }) => finished));
  });

/** What analyses a page is read into it once. */
const ALREADY_READ = 'void 0';

/** Of what is found, only what is wrong is written out; the console has no frames, which the slow way is for. */
async function scanOf(page: Page): Promise<AxeBuilder> {
  const isThere = await page.evaluate(() => 'axe' in globalThis);
  const builder = new AxeBuilder({ page, ...(isThere && { axeSource: ALREADY_READ }) });
  return builder.options({ resultTypes: ['violations'] }).setLegacyMode();
}

async function axe(page: Page, scan: AxeBuilder): Promise<void> {
  await settle(page);
  const { violations } = await scan.analyze();
  const found = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ target }) => target.join(' '))
        .slice(0, 5)
        .join(' | ')}`,
  );
  expect(found, `axe at ${page.url()}`).toEqual([]);
}

/** axe finds nothing on the page as it is now, open dialogs included. */
export const expectNoAxe = async (page: Page): Promise<void> =>
  axe(page, (await scanOf(page)).withTags(WCAG));

async function turn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
}

/** The same in both themes of the system; what differs between them is colour. */
export async function expectNoAxeInBothThemes(page: Page): Promise<void> {
  await turn(page, 'light');
  await expectNoAxe(page);
  await turn(page, 'dark');
  await axe(page, (await scanOf(page)).withRules(['color-contrast']));
}

/** Picks somebody from the list under a field. */
export async function pick(page: Page, field: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).fill(name);
  await page.getByRole('option', { name: new RegExp(`^${RegExp.escape(name)}`) }).click();
}

/** Opens the menu of a button and chooses. */
export async function choose(page: Page, menu: string | RegExp, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click();
  await page
    .getByRole('menuitem', { name: item })
    .or(page.getByRole('menuitemradio', { name: item }))
    .or(page.getByRole('menuitemcheckbox', { name: item }))
    .click();
}
