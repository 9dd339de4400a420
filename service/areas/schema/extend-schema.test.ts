import { expect, test } from 'vitest';
import type { EntryTypeVm, FieldVm, SchemaExtension } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { SCHEMA, setUpSchemaSite } from '../../testing/entries/schema-fixture.ts';
import { onEachApp } from '../../testing/site.ts';
import { loadSchema } from './schema-cache.store.ts';

const COMPANY = { apiName: 'Company', singularName: 'Company', pluralName: 'Companies' };

onEachApp((context) => {
  const { siteId, api, makeType, addField } = setUpSchemaSite(context);
  const extend = (body: object) =>
    api().post<SchemaExtension & ErrorBody>(`${SCHEMA}/extensions`, { fields: [], choices: [], ...body });
  const listTypes = async () => (await api().get<EntryTypeVm[]>(`${SCHEMA}/entrytypes`)).body;
  const listFields = async () =>
    (await api().get<FieldVm[]>(`${SCHEMA}/entrytypes/Company/fields`)).body.map(({ apiName }) => apiName);
  const listActions = async () => {
    const { db } = context();
    const query = db.selectFrom('audit_log').select('action').where('site_id', '=', siteId());
    return (await query.execute()).map(({ action }) => action).toSorted();
  };

  test('creates a type with its fields, one of which names the entries', async () => {
    const { status, body } = await extend({
      newEntryType: COMPANY,
      fields: [
        { apiName: 'Size', name: 'Size', fieldType: FIELD.number },
        { apiName: 'Title', name: 'Legal name', fieldType: FIELD.text, isKey: true },
        { apiName: 'Land', name: 'Land', fieldType: FIELD.choice, choiceValues: [{ name: 'Norway' }] },
      ],
    });
    expect(status).toBe(200);
    expect(body.entryType).toMatchObject({ ...COMPANY, entryCount: 0 });
    expect(body.createdFields.map(({ apiName, isKey }) => [apiName, isKey])).toEqual([
      ['Size', false],
      ['Title', true],
      ['Land', false],
    ]);
    expect(await listFields()).toEqual(['Title', 'Size', 'Land']);
    // The key field of the new type is renamed, which is a change of its own.
    expect(await listActions()).toEqual(['entryType.create', 'field.create', 'field.create', 'field.update']);
  });

  test('adds fields to a type and choices to its fields, leaving out choices that it has', async () => {
    const { id } = await makeType();
    const stage = await addField({
      apiName: 'Stage',
      fieldType: FIELD.choice,
      choiceValues: [{ name: 'Open' }],
    });
    const { body } = await extend({
      entryTypeId: id,
      fields: [{ apiName: 'Site', name: 'Website', fieldType: FIELD.text }],
      choices: [{ fieldId: stage.body.id, names: ['Won', 'open', ' won ', 'Lost'] }],
    });
    expect(body.createdFields.map(({ name }) => name)).toEqual(['Website']);
    expect(body.changedFields[0]?.choiceValues?.map(({ name }) => name)).toEqual(['Open', 'Won', 'Lost']);
    expect(body.changedFields[0]?.choiceValues?.[0]).toEqual(stage.body.choiceValues?.[0]);
  });

  test('refuses everything with the errors of all fields and choices, and stores nothing', async () => {
    const { id } = await makeType();
    const other = await makeType('Deal');
    const { body: foreign } = await addField(
      { apiName: 'Stage', fieldType: FIELD.choice, choiceValues: [{ name: 'Open' }] },
      'Deal',
    );
    const { version } = await loadSchema(context().db, siteId());
    const size = { apiName: 'Size', name: 'Size', fieldType: FIELD.number };
    const refused = await extend({
      entryTypeId: id,
      fields: [
        size,
        { ...size, apiName: 'size' },
        { ...size, apiName: 'EntryId' },
        { ...size, apiName: 'Kind', fieldType: FIELD.choice },
      ],
      choices: [{ fieldId: foreign.id, names: ['Won'] }],
    });
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['fields.1.apiName', 'fields.2.apiName', 'fields.3.choiceValues', 'choices.0.fieldId'],
    ]);
    const taken = await extend({ entryTypeId: id, fields: [size, { ...size, apiName: 'Name' }] });
    expect([taken.status, taken.body.errors?.map(({ path }) => path)]).toEqual([409, ['fields.1.apiName']]);
    const reserved = await extend({
      newEntryType: { ...COMPANY, apiName: 'Fund' },
      fields: [{ ...size, isKey: true }],
    });
    expect([reserved.status, reserved.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['fields.0.isKey'],
    ]);
    expect((await extend({ newEntryType: { ...COMPANY, apiName: 'rows' } })).body.errors).toEqual([
      expect.objectContaining({ path: 'newEntryType.apiName' }),
    ]);
    expect((await extend({ entryTypeId: other.id, newEntryType: COMPANY })).status).toBe(400);
    expect((await extend({})).status).toBe(400);
    expect((await listTypes()).map(({ apiName }) => apiName)).toEqual(['Company', 'Deal']);
    expect(await listFields()).toEqual(['Name']);
    expect((await loadSchema(context().db, siteId())).version).toBe(version);
  });
});
