import {
  chooseMenuItem,
  chooseOption,
  expectAccessible,
  findSelect,
  holdRequests,
} from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { checkOpened, checkPageAtWidths } from '../support/checks/page-checks.ts';
import { buildDocx, readDocx } from '../support/data/documents.ts';
import { createEntryType } from '../support/data/entries.ts';
import { downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

const docx = (name: string, ...paragraphs: string[]) => ({
  name,
  mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  buffer: buildDocx(paragraphs),
});

test('a template is checked while it is chosen, corrected, previewed and deleted', async ({
  page,
  expectFailure,
}) => {
  await openAs(page, ada);
  await createEntryType(page, 'Berth');
  await page.goto('/reports');
  await expect(page.getByRole('heading', { name: 'No templates yet' })).toBeVisible();
  await page.getByRole('link', { name: 'New template' }).first().click();
  const panel = page.getByRole('dialog', { name: 'New template' });
  await test.step('a discarded panel closes', async () => {
    await panel.getByLabel('Name', { exact: true }).fill('Draft');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect(panel).toBeHidden();
    await page.getByRole('link', { name: 'New template' }).first().click();
  });

  await test.step('a faulty file shows its marks and can be stored', async () => {
    await chooseOption(findSelect(panel, 'For entries of'), 'Berths');
    await panel
      .getByLabel('File', { exact: true })
      .setInputFiles(docx('Berth profile.docx', 'Berth {Name}', 'Stage: {Stagge}'));
    await expect(panel.getByLabel('Name', { exact: true })).toHaveValue('Berth profile');
    await panel.getByLabel('Name', { exact: true }).fill('x'.repeat(201));
    await expect(panel).toContainText('Use at most 200 characters');
    await expect(panel.getByRole('button', { name: 'Create template' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
    await panel.getByLabel('Name', { exact: true }).fill('Berth profile');
    await expect(panel.getByText('1 error in the document')).toBeVisible();
    await expect(panel.locator('mark')).toHaveText([/^\{Name\}/, /^\{Stagge\}/]);
    await expect(panel.getByText('{Stage}', { exact: true })).toBeVisible();
    const ask = page.getByRole('alertdialog', { name: 'Discard changes?' });
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.goBack(),
      () => panel.getByRole('button', { name: 'Cancel' }).click(),
    ]) {
      await leave();
      await ask.getByRole('button', { name: 'Keep editing' }).click();
      await expect(panel.getByLabel('Name', { exact: true })).toHaveValue('Berth profile');
    }
    const answer = await holdRequests(page, '**/templatereports');
    const create = panel.getByRole('button', { name: 'Create template' });
    await create.click();
    await expect(create).toHaveAttribute('aria-busy', 'true');
    // The panel would close over what is typed now.
    await panel.getByLabel('Name', { exact: true }).evaluate((input) => input.focus());
    await expect(panel.getByLabel('Name', { exact: true })).not.toBeFocused();
    answer();
    await expect(panel).toBeHidden();
    await expect(ask).toHaveCount(0);
    await expect(page.getByRole('row', { name: /Berth profile/ })).toContainText('1 error');
    await checkPageAtWidths(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await page.getByRole('link', { name: 'Berth profile', exact: true }).click();
  await test.step('the fault leads to its mark, and a new version corrects it', async () => {
    await page.getByRole('button', { name: /\{Stagge\}/ }).click();
    await expect(page.locator('mark').filter({ hasText: '{Stagge}' })).toBeFocused();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const change = page.getByRole('dialog', { name: 'Change Berth profile' });
    await change
      .getByLabel(/^New file/)
      .setInputFiles(docx('Berth profile.docx', 'Berth {Name}', 'Stage: {Stage}'));
    await expect(change.getByText('All placeholders fit the schema')).toBeVisible();
    await change.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('version 2')).toBeVisible();
    await expect(page.getByRole('list', { name: 'Versions' }).getByRole('listitem')).toHaveCount(2);
  });

  await test.step('a change of somebody else is named', async () => {
    expectFailure(412);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const change = page.getByRole('dialog', { name: 'Change Berth profile' });
    const { pathname } = new URL(page.url());
    await sendRequest(page.request, 'PUT', `/api/rest/v4/templatereports/${pathname.split('/').at(-1)}`, {
      description: 'Written elsewhere',
    });
    await change.getByLabel('Name', { exact: true }).fill('Berth overview');
    await change.getByRole('button', { name: 'Save' }).click();
    await expect(change.getByText('First Administrator changed the template in the meantime')).toBeVisible();
    await expectAccessible(page);
    await page.reload();
    await expect(page.getByText('Written elsewhere')).toBeVisible();
  });

  await test.step('placeholders show the data of the chosen entry, and the preview has it', async () => {
    await page.getByRole('combobox', { name: 'Entry' }).fill('Haf');
    await page.getByRole('option', { name: 'Hafen' }).click();
    const name = page
      .getByRole('list', { name: 'Placeholders' })
      .getByRole('listitem')
      .filter({ hasText: '{Name}' });
    await expect(name).toContainText('Hafen');
    await expect(name.getByRole('button', { name: 'Copy {Name}' })).toBeVisible();
    const { bytes } = await downloadBytes(page, () =>
      page.getByRole('button', { name: 'Download as Word' }).click(),
    );
    expect(readDocx(bytes)).toContain('Berth Hafen');
    await checkPageAtWidths(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step('deleting a field says which templates break', async () => {
    await page.goto('/entries/Berth/schema');
    await chooseMenuItem(page, 'Actions for Stage', 'Delete field');
    await expect(page.getByRole('alertdialog').getByRole('link', { name: 'Berth profile' })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.goBack();
  });

  const chooseDelete = () => chooseMenuItem(page, 'Actions for Berth profile', 'Delete');
  await checkOpened(page, 'alertdialog', chooseDelete);
  await chooseDelete();
  await page.getByRole('button', { name: 'Delete template' }).click();
  await expect(page.getByRole('heading', { name: 'No templates yet' })).toBeVisible();
  expectFailure(404);
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'This template does not exist' })).toBeVisible();
});
