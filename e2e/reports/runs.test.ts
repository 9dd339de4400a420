import type { FieldVm, ReportRun } from '../../contract/generated/types.gen.ts';
import {
  chooseMenuItem,
  chooseOption,
  chooseRowAction,
  fillForm,
  findSelect,
  holdRequests,
} from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { checkPageAtWidths } from '../support/checks/page-checks.ts';
import { buildDocx, readDocx } from '../support/data/documents.ts';
import { createEntryType, DATA, SCHEMA } from '../support/data/entries.ts';
import { downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { uploadTemplate } from '../support/data/templates.ts';
import { waitForMailed } from '../support/mail.ts';
import { expect, test } from '../support/test.ts';

const SCHEDULES = '/api/rest/v4/templatereports/schedules';

test('a report of the filtered list is generated, delivered, compared and repeated', async ({
  page,
  service,
}) => {
  await openAs(page, ada);
  const { first } = await createEntryType(page, 'Berth');
  await uploadTemplate(page, 'Berth', 'Profile', 'Berth {Name}');

  await page.goto('/entries/Berth?q=Haf');
  await expect(page.getByText('1 matches')).toBeVisible();
  await chooseMenuItem(page, 'Import and export', 'Generate report');
  await expect(findSelect(page, 'Template')).not.toHaveText('Choose');
  await expect(page.getByText(/^Berths: .*Haf/)).toBeVisible();
  await fillForm(page.locator('form'), { 'Send to': ['First Administrator'] });
  await page.keyboard.press('Escape');
  await checkPageAtWidths(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Generate report' }).click();

  const run = page.getByRole('row', { name: /Profile/ });
  await expect(run).toContainText('Ready');
  const download = run.getByRole('button', { name: /^Download/ });
  const { name, bytes } = await downloadBytes(page, () => download.click());
  expect(name).toMatch(/\.docx$/);
  expect(readDocx(bytes)).toContain('Berth Hafen');
  expect(readDocx(bytes)).not.toContain('Werft');
  await checkPageAtWidths(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await test.step('the link in the mail leads to the report', async () => {
    await page.goto(await waitForMailed(service, ada.email, /http\S+\/reports\/runs\?run=\d+/));
    const card = page.getByRole('region', { name: 'Profile' });
    await expect(card).toContainText('1 entry, data of');
    await expect(card.getByRole('button', { name: /^Download/ })).toBeVisible();
  });

  await test.step('the same report again, and what changed', async () => {
    const fields = (await sendRequest(page.request, 'GET', `${SCHEMA}/Berth/fields`)) as FieldVm[];
    const fieldId = fields.find(({ isKey }) => isKey)?.id;
    await sendRequest(page.request, 'PUT', `${DATA}/Berth`, {
      storeRequests: [{ entryId: first, fieldId, value: 'Hafen Ost' }],
    });
    await chooseRowAction(run, 'Generate again With other entries or another moment');
    await expect(page.getByText(/^Berths: .*Haf/)).toBeVisible();
    await page.getByRole('button', { name: 'Generate report' }).click();
    await expect(run).toHaveCount(2);
    await expect(run.first()).toContainText('Ready');
    await chooseRowAction(run.first(), 'Compare With another report of this template');
    await expect(page.getByText('1 entry changed, 0 added, 0 removed, 0 unchanged.')).toBeVisible();
    await expect(page.getByRole('row', { name: /Hafen Ost/ })).toContainText('Name');
    await checkPageAtWidths(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step('every Friday', async () => {
    await page.goto('/reports/generate');
    await fillForm(page.locator('form'), { Generate: 'Weekly', 'Day of the week': 'Friday', Time: '07:30' });
    const answer = await holdRequests(page, '**/templatereports/schedules');
    const save = page.getByRole('button', { name: 'Save schedule' });
    const time = page.locator('form').getByLabel('Time');
    await time.press('Enter');
    await expect(save).toHaveAttribute('aria-busy', 'true');
    // The page is left with the answer, and what is typed now would be lost.
    await expect(save).toBeFocused();
    await time.evaluate((input) => input.focus());
    await expect(time).not.toBeFocused();
    answer();
    const schedule = page.getByRole('row', { name: /Fridays at 07:30/ });
    await expect(schedule).toContainText('Active');
    await chooseRowAction(schedule, 'Pause');
    await expect(schedule).toContainText('Paused');
    await checkPageAtWidths(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await chooseRowAction(schedule, 'Change');
    const panel = page.getByRole('dialog', { name: 'Schedule of Profile' });
    await fillForm(panel, { 'Day of the week': 'Monday' });
    await page.keyboard.press('Escape');
    const ask = page.getByRole('alertdialog', { name: 'Discard changes?' });
    await ask.getByRole('button', { name: 'Keep editing' }).click();
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect(panel).toBeHidden();
    await expect(ask).toHaveCount(0);
    const changed = page.getByRole('row', { name: /Mondays at 07:30/ });
    await expect(changed).toContainText('Paused');
    await chooseRowAction(changed, 'Delete');
    await page.getByRole('button', { name: 'Delete schedule' }).click();
    await expect(page.getByText('No schedules yet')).toBeVisible();
  });

  await test.step('its row in the activity leads to it and to its list', async () => {
    await page.goto('/activity');
    const exported = page.getByRole('row', { name: /Export Data/ });
    await exported.getByRole('link', { name: /^\d/ }).first().click();
    await expect(page.getByRole('link', { name: 'Show the report' })).toBeVisible();
    await page.getByRole('link', { name: 'Show the list' }).click();
    await expect(page.getByText('1 matches')).toBeVisible();
  });
});

test('a report is not generated again with another template, unless it is chosen', async ({ page }) => {
  await openAs(page, ada);
  await createEntryType(page, 'Quay');
  await createEntryType(page, 'Crane');
  await uploadTemplate(page, 'Crane', 'All cranes', 'Crane {Name}');
  const { id } = await uploadTemplate(page, 'Quay', 'Quay profile', 'Quay {Name}');
  await uploadTemplate(page, 'Quay', 'Quay letter', 'Dear {Name}');
  await page.goto(`/reports/generate?template=${id}`);
  await page.getByRole('button', { name: 'Generate report' }).click();
  const run = page.getByRole('row', { name: /Quay profile/ });
  await expect(run).toContainText('Ready');

  await test.step('a broken template is named, and others of its type are offered', async () => {
    const response = await page.request.put(`/console/api/rest/v4/templatereports/${id}`, {
      headers: { 'X-Steward-Console': '1' },
      multipart: {
        model: '{}',
        file: { name: 'Quay.docx', mimeType: 'application/zip', buffer: buildDocx(['{Nothing}']) },
      },
    });
    expect(response.ok(), await response.text()).toBe(true);
    await chooseRowAction(run, 'Generate again With other entries or another moment');
    await expect(page.getByRole('note').filter({ hasText: 'Quay profile is broken' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Generate report' })).toHaveCount(0);
    await checkPageAtWidths(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await findSelect(page, 'Template').click();
    await expect(page.getByRole('listbox').getByRole('option')).toHaveText(['Quay letter (Word)']);
    await page.keyboard.press('Escape');
    await chooseOption(findSelect(page, 'Template'), 'Quay letter');
    await expect(page.getByRole('note').filter({ hasText: 'is broken' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Generate report' }).click();
    await expect(page.getByRole('row', { name: /Quay letter/ })).toContainText('Ready');
  });

  await test.step('the palette offers ready templates only', async () => {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await palette.getByRole('searchbox').fill('generate quay');
    await expect(palette.getByRole('menuitem', { name: 'Generate Quay letter' })).toBeVisible();
    await expect(palette.getByRole('menuitem', { name: 'Generate Quay profile' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(palette).toBeHidden();
  });

  await test.step('a deleted template is said to be deleted', async () => {
    await sendRequest(page.request, 'DELETE', `/api/rest/v4/templatereports/${id}`);
    await chooseRowAction(run, 'Generate again With other entries or another moment');
    await expect(page.getByRole('note').filter({ hasText: 'This template does not exist' })).toBeVisible();
    await expect(findSelect(page, 'Template')).toHaveText('Choose');
  });
});

test('a report that has started is not said to have failed when its job cannot be read', async ({
  page,
  expectFailure,
}) => {
  expectFailure(400, 503);
  await openAs(page, ada);
  await createEntryType(page, 'Mole');
  await uploadTemplate(page, 'Mole', 'Mole profile', 'Mole {Name}');
  await page.goto('/reports/generate?type=Mole');
  await page.route('**/templatereports/*/runs', (route) =>
    route.fulfill({ status: 400, json: { message: 'The report was refused' } }),
  );
  await page.getByRole('button', { name: 'Generate report' }).click();
  await expect(page.getByText('The report was refused')).toBeVisible();
  await page.unroute('**/templatereports/*/runs');

  await test.step('the next failure replaces the message of the last one', async () => {
    await page.route('**/templatereports/schedules', (route) =>
      route.fulfill({ status: 400, json: { message: 'The schedule was refused' } }),
    );
    await chooseOption(findSelect(page, 'Generate'), 'Daily');
    await page.getByRole('button', { name: 'Save schedule' }).click();
    await expect(page.getByText('The schedule was refused')).toBeVisible();
    await expect(page.getByText('The report was refused')).toBeHidden();
    await chooseOption(findSelect(page, 'Generate'), 'Once, now');
  });

  await page.route(/\/jobs\/\d+$/, (route) => route.fulfill({ status: 503, json: { message: 'Busy' } }));
  await page.getByRole('button', { name: 'Generate report' }).click();
  await expect(page.getByRole('row', { name: /Mole profile/ })).toContainText('Ready');
});

test('a recipient who may no longer receive reports is named, and removed by keyboard', async ({
  page,
  calls,
}) => {
  const readers = await calls.createGroup('Report readers', ['Run Reports', 'Read Data']);
  const kurt = await calls.createUser({ firstName: 'Kurt', lastName: 'Weill', groups: [readers] });
  const lotte = await calls.createUser({ firstName: 'Lotte', lastName: 'Lenya', groups: [readers] });
  await openAs(page, ada);
  await createEntryType(page, 'Jetty');
  const { id: templateId } = await uploadTemplate(page, 'Jetty', 'Jetty profile', 'Jetty {Name}');
  await sendRequest(page.request, 'POST', SCHEDULES, {
    templateId,
    query: {},
    format: 'docx',
    frequency: 'daily',
    time: '07:30',
    recipients: [kurt.id],
  });
  await calls.call('PUT', '/user', { id: kurt.id, isActive: false });
  await page.goto('/reports/schedules');
  const schedule = page.getByRole('row', { name: /Jetty profile/ });
  await chooseRowAction(schedule, 'Change');
  const panel = page.getByRole('dialog', { name: 'Schedule of Jetty profile' });
  const remove = panel.getByRole('button', { name: `Remove ${kurt.name}` });
  const refusal = panel.getByText(`${kurt.name} can no longer receive reports.`);
  await expect(remove).toBeVisible();
  await expect(refusal).toBeVisible();
  await checkPageAtWidths(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await fillForm(panel, { 'Send to': [lotte.name] });
  await expect(panel.getByRole('button', { name: `Remove ${lotte.name}` })).toBeVisible();
  await remove.focus();
  await page.keyboard.press('Enter');
  await expect(remove).toHaveCount(0);
  await expect(refusal).toHaveCount(0);
  await panel.getByRole('combobox', { name: 'Send to' }).press('Escape');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(panel).toBeHidden();
  await expect(schedule).toContainText(lotte.name);
});

test('recipients beyond the people who are listed are found by search', async ({ page, calls }) => {
  const readers = await calls.createGroup('Report readers of the yard', ['Run Reports', 'Read Data']);
  const zora = await calls.createUser({ firstName: 'Zora', lastName: 'Neale', groups: [readers] });
  await openAs(page, ada);
  await createEntryType(page, 'Yard');
  await uploadTemplate(page, 'Yard', 'Yard profile', 'Yard {Name}');
  // The list of a site with more people than it holds; searches are those of the service.
  await page.route('**/templatereports/recipients', (route) =>
    route.fulfill({
      json: Array.from({ length: 1000 }, (_, at) => ({
        id: 10_000 + at,
        name: `Anna Number ${at}`,
        email: `anna-${at}@people.example`,
      })),
    }),
  );
  await page.goto('/reports/generate?type=Yard');
  const field = page.getByRole('combobox', { name: 'Send to' });
  await expect(page.getByText('Only the first 1,000 people are listed.')).toBeVisible();
  await field.fill(zora.email.slice(0, -5));
  await page.getByRole('option', { name: new RegExp(`^${zora.name}`) }).click();
  await field.fill('First Admin');
  await page.getByRole('option', { name: /^First Administrator/ }).click();
  await field.press('Escape');
  // The chips keep names that the list does not have.
  await expect(page.getByRole('button', { name: `Remove ${zora.name}` })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove First Administrator' })).toBeVisible();
  await checkPageAtWidths(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  const request = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/runs'));
  await page.getByRole('button', { name: 'Generate report' }).click();
  expect((await request).postDataJSON()).toMatchObject({ recipients: [zora.id, expect.any(Number)] });
  await expect(page.getByRole('row', { name: /Yard profile/ })).toContainText('Ready');
});

test('reports and schedules of others are changed with the capability only', async ({ page, calls }) => {
  const watchers = await calls.createGroup('Report watchers', ['Run Reports', 'Read Data', 'View Activity']);
  const watcher = await calls.createUser({ groups: [watchers] });
  await openAs(page, ada);
  await createEntryType(page, 'Wharf');
  const { id } = await uploadTemplate(page, 'Wharf', 'Wharf profile', 'Wharf {Name}');
  const request = { query: {}, format: 'docx' };
  await sendRequest(page.request, 'POST', `/api/rest/v4/templatereports/${id}/runs`, {
    ...request,
    notBefore: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const times = { frequency: 'daily', time: '07:30', recipients: [] };
  await sendRequest(page.request, 'POST', SCHEDULES, { templateId: id, ...request, ...times });
  const expectActions = async (...actions: readonly string[]) => {
    await page
      .getByRole('row', { name: /Wharf profile/ })
      .getByRole('button', { name: /^actions/i })
      .click();
    for (const name of actions) await expect(page.getByRole('menuitem', { name, exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
  };

  await openAs(page, watcher, '/reports/schedules?everyone=true');
  await expectActions(
    'Pause You need the Manage Report Templates capability',
    'Delete You need the Manage Report Templates capability',
  );
  await page.goto('/reports/runs?everyone=true');
  await expectActions('Cancel You need the Manage Settings capability');

  await openAs(page, ada, '/reports/schedules?everyone=true');
  await expectActions('Pause', 'Delete');
  await page.goto('/reports/runs?everyone=true');
  await expectActions('Cancel');
});

test('older reports are shown on request', async ({ page }) => {
  await openAs(page, ada);
  await createEntryType(page, 'Dock');
  const { id } = await uploadTemplate(page, 'Dock', 'Dock profile', 'Dock {Name}');
  const body = { query: {}, format: 'docx' };
  await sendRequest(page.request, 'POST', `/api/rest/v4/templatereports/${id}/runs`, body);
  const [run] = (await sendRequest(page.request, 'GET', '/api/rest/v4/templatereports/runs')) as ReportRun[];
  await page.route('**/templatereports/runs?*', async (route) => {
    const isFirst = new URL(route.request().url()).searchParams.get('pageNumber') === '1';
    // A page of 100 reports, and the oldest one on the next, which begins with one that moved there.
    const ids = isFirst ? Array.from({ length: 100 }, (_, at) => 1100 - at) : [1001, 1000];
    await route.fulfill({
      json: ids.map((runId) => ({ ...run, runId, status: 'Ready', templateName: `Dock report ${runId}` })),
    });
  });
  await page.goto('/reports/runs');
  await expect(page.getByText('Newest 100 generated reports')).toBeVisible();
  await checkPageAtWidths(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Show older reports' }).click();
  await expect(page.getByText('101 generated reports')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Show older reports' })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Generated reports' })).toBeFocused();
  await page.getByRole('grid', { name: 'Generated reports' }).getByRole('link').first().focus();
  await page.keyboard.press('Control+End');
  await expect(page.getByRole('row', { name: /Dock report 1000/ })).toBeVisible();
});

test('a report that failed or waits says why without a pointer', async ({ page }) => {
  await openAs(page, ada);
  await createEntryType(page, 'Pier');
  const { id } = await uploadTemplate(page, 'Pier', 'Pier profile', 'Pier {Name}');
  const body = { query: {}, format: 'docx', notBefore: '2099-01-01T09:00:00Z' };
  await sendRequest(page.request, 'POST', `/api/rest/v4/templatereports/${id}/runs`, body);
  await page.route('**/templatereports/runs?*', async (route) => {
    const response = await route.fetch();
    const [run] = (await response.json()) as ReportRun[];
    const message = 'The template of this report was deleted';
    const failed = { ...run, runId: 9_000, templateName: 'Failed report', status: 'Failed', message };
    await route.fulfill({ json: [run, failed] });
  });
  await page.goto('/reports/runs');
  const expectReason = async (row: RegExp, reason: RegExp) => {
    await page
      .getByRole('row', { name: row })
      .getByRole('button', { name: /^actions/i })
      .focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: /^Compare/ })).toHaveAccessibleName(reason);
    await page.keyboard.press('Escape');
  };
  await expectReason(/Pier profile/, /Starts .*2099/);
  await expectReason(/Failed report/, /The template of this report was deleted/);
});

test('a moment that was typed wrong does not hold up a schedule, which has none', async ({ page }) => {
  await openAs(page, ada);
  await createEntryType(page, 'Slip');
  const { id } = await uploadTemplate(page, 'Slip', 'Slip profile', 'Slip {Name}');
  await page.goto(`/reports/generate?template=${id}`);
  await page.getByLabel('As of').fill('2026-13-45');
  await expect(page.getByText('This time does not exist in').first()).toBeVisible();
  await chooseOption(findSelect(page, 'Generate'), 'Daily');
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await expect(page.getByRole('row', { name: /Slip profile/ })).toContainText('Daily');
});
