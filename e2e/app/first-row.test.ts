import { turnAgentLicenseOn } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { uploadTemplate } from '../support/data/templates.ts';
import { expect, test } from '../support/test.ts';

const WINDOW = { width: 390, height: 844 };
/** Highest share of the window that may precede the first row of a list. */
const MAX_SHARE = 0.3;

/** Share of a list below tabs and a period. */
const LARGER_SHARES: Readonly<Record<string, number>> = { '/agent/ledger': 0.4 };

const LISTS = [
  '/users',
  '/entries',
  '/activity',
  '/licenses',
  '/groups',
  '/proxies',
  '/backups',
  '/jobs',
  '/changes',
  '/publications',
  '/publications/destinations',
  '/exports',
  '/invitations',
  '/sites',
  '/reports',
  '/reports/runs',
  '/proxies/reports',
  '/licenses/unused',
  '/entries/Company',
  '/activity/configuration',
  '/imports/runs',
  '/imports/status',
  '/imports/relationships',
  '/agent',
  '/agent/ledger',
];

test.use({ viewport: WINDOW, installation: { sample: true, administrator: ada } });

test('the first row of every list begins high on a phone, with whole facts in its head and its filters behind one button', async ({
  page,
  pageErrors,
}) => {
  // Each page opens a stream; those of pages that were left may not have ended yet, and a person has five.
  pageErrors.allow(/^429: GET \S+\/publication\/positions$/);
  await openAs(page, ada, '/');
  await uploadTemplate(page, 'Company', 'Company profile', 'Company {Name}');
  await turnAgentLicenseOn(page);
  const tooLow: string[] = [];
  const cut: string[] = [];
  for (const path of LISTS) {
    await page.goto(path);
    // The first row, or the box in whose middle an empty list says what it is for.
    const list = page
      .locator('main :is(.tbl-row > *, .pub-topic, tbody :is(td, th), .changes > li, .notice)')
      .first();
    await expect(list, `first row of ${path}`).toBeVisible();
    const top = await list.evaluate((element) => {
      const start = element.matches('.notice')
        ? (element.closest('.card') ?? element.parentElement ?? element)
        : element;
      return start.getBoundingClientRect().top;
    });
    const facts = page.locator('.page-facts, .page-meta');
    if (await facts.evaluateAll((all) => all.some((one) => one.scrollWidth > one.clientWidth + 1)))
      cut.push(path);
    if (top > WINDOW.height * (LARGER_SHARES[path] ?? MAX_SHARE))
      tooLow.push(`${path}: ${Math.round(top)} px`);
  }
  expect(tooLow).toEqual([]);
  expect(cut).toEqual([]);

  await page.goto('/proxies');
  const filter = page.getByRole('button', { name: 'Filter', exact: true });
  const risks = page.getByRole('button', { name: 'Risks filter' });
  await expect(risks).toBeHidden();
  await filter.click();
  await risks.click();
  await page.getByRole('checkbox', { name: 'In a cycle' }).check();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Filter (1)' })).toHaveAttribute('aria-expanded', 'true');
});
