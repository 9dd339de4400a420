/** A new site for each test, whose schema is changed through the API. */
import { beforeEach } from 'vitest';
import type { EntryTypeVm, FieldVm, NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import type { ApiClient, ErrorBody } from '../calls.ts';
import { as, type AppContext, makePerson, makeSite } from '../site.ts';

export const SCHEMA = '/api/rest/v4/schema';

/** Common steps of schema tests, on the site of the running test. */
export function setUpSchemaSite(context: () => AppContext) {
  let siteId = 0;
  let api: ApiClient | undefined;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    api = as(context().app, await makePerson(context().db, siteId));
  });
  const calls = (): ApiClient => {
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
      calls().post<FieldVm & ErrorBody>(`${SCHEMA}/entrytypes/${type}/fields`, {
        name: info.apiName,
        fieldType: FIELD.text,
        ...info,
      }),
    change: (id: number, info: object, options = {}) =>
      calls().put<FieldVm & ErrorBody>(`${SCHEMA}/fields/${id}`, info, options),
    addEntry: (typeId: number, vals: object) =>
      context()
        .db.insertInto('entry')
        .values({ site_id: siteId, type_id: typeId, vals: JSON.stringify(vals) })
        .execute(),
  };
}
