import type { FieldVm } from '../../contract/generated/types.gen.ts';
import { chooseRowAction, expectAccessible, expectToast, fillForm } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { callApi } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test('the schema page says which entries could not be calculated and why, until the field allows their results', async ({
  page,
}) => {
  await openAs(page, ada);
  const names = { apiName: 'Article', singularName: 'Article', pluralName: 'Articles' };
  await callApi(page, 'POST', '/schema/entrytypes', names);
  const fieldsPath = '/schema/entrytypes/Article/fields';
  await callApi(page, 'POST', fieldsPath, { apiName: 'Body', name: 'Body', fieldType: 1 });
  await callApi(page, 'POST', fieldsPath, {
    apiName: 'Twice',
    name: 'Twice',
    fieldType: 1,
    formula: 'Body & Body',
  });
  const fields = await callApi<FieldVm[]>(page, 'GET', fieldsPath);
  const getFieldId = (name: string) => fields.find((field) => field.apiName === name)?.id ?? 0;
  const entriesPath = '/data/entrydata/Article';
  const [created] = await callApi<{ entryId: number }[]>(page, 'POST', entriesPath, {
    storeRequests: [
      { entryId: -1, fieldId: getFieldId('Name'), value: 'Long' },
      { entryId: -1, fieldId: getFieldId('Body'), value: 'x'.repeat(6_000) },
    ],
  });
  const entryId = created?.entryId ?? 0;
  const waitForFailures = (count: number) =>
    expect
      .poll(async () => {
        const failures = await callApi<object[]>(
          page,
          'GET',
          '/schema/entrytypes/Article/calculationfailures',
        );
        return failures.length;
      })
      .toBe(count);
  await waitForFailures(1);

  await page.goto('/entries/Article/schema');
  const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Twice' }) });
  const note = row.getByRole('note');
  await expect(note).toContainText('1 entry could not be calculated');
  await expect(note).toContainText('The result has 12,000 characters; the limit is 10,000.');
  await expect(note.getByRole('link', { name: `Entry ${entryId}` })).toHaveAttribute(
    'href',
    `/entries/Article/${entryId}`,
  );
  await expectAccessible(page);

  await chooseRowAction(row, 'Edit');
  const panel = page.getByRole('dialog');
  await fillForm(panel, { 'Longest result': 'many' });
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(panel).toContainText('Enter a whole number between 1 and 1,000,000');
  const question = page.getByRole('alertdialog', { name: 'Discard changes?' });
  const input = page.getByLabel('Longest result');
  for (const leave of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
    await leave();
    await expect(question.getByRole('button', { name: 'Keep editing' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(input).toHaveValue('many');
  }
  await fillForm(panel, { 'Longest result': '12000' });
  await panel.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Twice was saved');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(question).toHaveCount(0);
  await expect(row).toContainText('A result has at most 12,000 characters.');
  await waitForFailures(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Twice' })).toBeVisible();
  await expect(page.getByText('could not be calculated')).toHaveCount(0);

  for (const path of ['/entries?new=true', '/entries/Article/schema?edit=true']) {
    await page.goto(path);
    await page.getByLabel('Singular name').fill('Unsaved');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
});
