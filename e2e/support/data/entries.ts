/** Creates entry types for tests through the interface for programs. */
import type { Page } from '@playwright/test';
import type { DataRequestResultVm, FieldVm } from '../../../contract/generated/types.gen.ts';
import { sendRequest } from '../calls.ts';
import { expect } from '../test.ts';

export const SCHEMA = '/api/rest/v4/schema/entrytypes';
export const DATA = '/api/rest/v4/data/entrydata';

/** Calls an operation of the entries API in the page's session; fails for other statuses than 200. */
export async function callApi<Answer>(
  page: Pick<Page, 'request'>,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await page.request.fetch(`/console/api/rest/v4${path}`, {
    method,
    headers: { 'X-Steward-Console': '1' },
    ...(body && { data: body }),
  });
  expect(response.status(), await response.text()).toBe(200);
  return (await response.json()) as Answer;
}

/** Creates a type with name, stage, a reason required for the stage "Lost", and size, and two entries. */
export async function createEntryType(page: Page, apiName: string) {
  const { request } = page;
  const names = { apiName, singularName: apiName, pluralName: `${apiName}s` };
  await sendRequest(request, 'POST', SCHEMA, names);
  const make = async (field: object) =>
    (await sendRequest(request, 'POST', `${SCHEMA}/${apiName}/fields`, field)) as FieldVm;
  const stage = await make({
    apiName: 'Stage',
    name: 'Stage',
    fieldType: 2,
    choiceValues: [{ name: 'Open' }, { name: 'Lost' }],
  });
  const lost = stage.choiceValues?.find(({ name }) => name === 'Lost');
  const conditions = [{ fieldId: stage.id, operation: 0, value: lost?.id }];
  await make({ apiName: 'Reason', name: 'Reason', fieldType: 1, requiredWhen: { match: 'all', conditions } });
  const size = await make({ apiName: 'Size', name: 'Size', fieldType: 3 });
  const fields = (await sendRequest(request, 'GET', `${SCHEMA}/${apiName}/fields`)) as FieldVm[];
  const key = fields.find(({ isKey }) => isKey)?.id ?? 0;
  const made = (await sendRequest(request, 'POST', `${DATA}/${apiName}`, {
    storeRequests: [
      { entryId: -1, fieldId: key, value: 'Hafen' },
      { entryId: -1, fieldId: size.id, value: 1 },
      { entryId: -2, fieldId: key, value: 'Werft' },
      { entryId: -2, fieldId: size.id, value: 2 },
    ],
  })) as DataRequestResultVm[];
  return { size: size.id, first: made[0]?.entryId ?? 0, second: made[2]?.entryId ?? 0 };
}
