/** Entry types as tests of entries need them, made as programs make them. */
import type { Page } from '@playwright/test';
import type { DataRequestResultVm, FieldVm } from '../../contract/generated/types.gen.ts';
import { send } from './calls.ts';

export const SCHEMA = '/api/rest/v4/schema/entrytypes';
export const DATA = '/api/rest/v4/data/entrydata';

/** A type with a name, a stage, a reason that lost ones need, and a size; with two entries. */
export async function makeType(page: Page, apiName: string) {
  const { request } = page;
  const names = { apiName, singularName: apiName, pluralName: `${apiName}s` };
  await send(request, 'POST', SCHEMA, names);
  const make = async (field: object) =>
    (await send(request, 'POST', `${SCHEMA}/${apiName}/fields`, field)) as FieldVm;
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
  const fields = (await send(request, 'GET', `${SCHEMA}/${apiName}/fields`)) as FieldVm[];
  const key = fields.find(({ isKey }) => isKey)?.id ?? 0;
  const made = (await send(request, 'POST', `${DATA}/${apiName}`, {
    storeRequests: [
      { entryId: -1, fieldId: key, value: 'Hafen' },
      { entryId: -1, fieldId: size.id, value: 1 },
      { entryId: -2, fieldId: key, value: 'Werft' },
      { entryId: -2, fieldId: size.id, value: 2 },
    ],
  })) as DataRequestResultVm[];
  return { size: size.id, first: made[0]?.entryId ?? 0, second: made[2]?.entryId ?? 0 };
}
