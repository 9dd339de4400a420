/** Sites whose schemas are written through the API, a new one for each test. */
import { beforeEach } from 'vitest';
import type { EntryTypeVm, FieldVm, NewFieldInfo } from '../../contract/generated/types.gen.ts';
import { FIELD } from '../../contract/rules/fields.ts';
import type { Calls, Refusal } from './calls.ts';
import { as, type House, makePerson, makeSite } from './site.ts';

export const SCHEMA = '/api/rest/v4/schema';

/** What tests of schemas do again and again, on the site of the test that runs. */
export function schemaWriter(house: () => House) {
  let siteId = 0;
  let api: Calls | undefined;
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    api = as(house().app, await makePerson(house().db, siteId));
  });
  const calls = (): Calls => {
    if (!api) throw new Error('The site is there only inside tests');
    return api;
  };
  return {
    siteId: () => siteId,
    api: calls,
    makeType: async (apiName = 'Company') => {
      const names = { apiName, singularName: apiName, pluralName: `${apiName}s` };
      return (await calls().post<EntryTypeVm>(`${SCHEMA}/entrytypes`, names)).body;
    },
    addField: (info: Partial<NewFieldInfo>, type = 'Company') =>
      calls().post<FieldVm & Refusal>(`${SCHEMA}/entrytypes/${type}/fields`, {
        name: info.apiName,
        fieldType: FIELD.text,
        ...info,
      }),
    change: (id: number, info: object, options = {}) =>
      calls().put<FieldVm & Refusal>(`${SCHEMA}/fields/${id}`, info, options),
    addEntry: (typeId: number, vals: object) =>
      house()
        .db.insertInto('entry')
        .values({ site_id: siteId, type_id: typeId, vals: JSON.stringify(vals) })
        .execute(),
  };
}
