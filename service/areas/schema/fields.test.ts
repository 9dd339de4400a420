import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { FieldVm } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { SCHEMA, setUpSchemaSite } from '../../testing/entries/schema-fixture.ts';
import { collectGarbage } from '../../testing/measures/heap.ts';
import { onEachApp } from '../../testing/site.ts';
import { loadSchema } from './schema-cache.store.ts';

const listErrorPaths = ({ body }: { body: ErrorBody }) => body.errors?.map(({ path }) => path);

onEachApp((context) => {
  const { siteId, api, makeType, addField, change, addEntry } = setUpSchemaSite(context);
  const loadVersion = async () => (await loadSchema(context().db, siteId())).version;

  test('a schema that has changed does not stay in memory', async () => {
    await makeType();
    const replaced = new WeakRef(await loadSchema(context().db, siteId()));
    await addField({ apiName: 'Later', fieldType: FIELD.text });
    await loadSchema(context().db, siteId());
    // A reference that was created in a turn keeps its object until the next one.
    await nextTurn();
    collectGarbage();
    expect(replaced.deref()).toBeUndefined();
  });

  describe('fields', () => {
    test('creates fields of every type, and lists them in order with filters (spec 4.6)', async () => {
      await makeType();
      for (const fieldType of Object.values(FIELD)) {
        const choiceValues = fieldType === FIELD.choice ? [{ name: 'Open' }] : undefined;
        await addField({ apiName: `F${fieldType}`, fieldType, ...(choiceValues && { choiceValues }) });
      }
      await addField({ apiName: 'Twice', fieldType: FIELD.number, formula: 'F3 * 2', isOnEntryForm: false });
      const listNames = async (query = '') =>
        (await api().get<FieldVm[]>(`${SCHEMA}/entrytypes/Company/fields${query}`)).body.map(
          ({ apiName }) => apiName,
        );
      const all = await listNames();
      expect(all).toEqual(['Name', ...Object.values(FIELD).map((type) => `F${type}`), 'Twice']);
      const editable = all.filter((name) => name !== 'F15' && name !== 'Twice');
      expect(await listNames('?editable=true')).toEqual(editable);
      expect(await listNames('?fieldType=editable')).toEqual(editable);
      expect(await listNames('?fieldType=calculated')).toEqual(['Twice']);
      expect(await listNames('?entryForm=true')).toEqual(all.filter((name) => name !== 'Twice'));
      const { body } = await api().get<FieldVm[]>(`${SCHEMA}/allfields`);
      expect(body.map(({ apiName }) => apiName)).toEqual(all);
    });

    test('rejects a choice field without choices, new or changed', async () => {
      await makeType();
      const NO_CHOICES = [{ path: 'choiceValues', message: 'must have at least one choice' }];
      for (const more of [{}, { choiceValues: [] }, { isMultiSelect: true }]) {
        const refused = await addField({ apiName: 'Stage', fieldType: FIELD.choice, ...more });
        expect([refused.status, (refused.body as ErrorBody).errors]).toEqual([400, NO_CHOICES]);
      }
      const choiceValues = [{ name: 'Open' }];
      const { body: stage } = await addField({ apiName: 'Stage', fieldType: FIELD.choice, choiceValues });
      const emptied = await change(stage.id, { choiceValues: [] });
      expect([emptied.status, (emptied.body as ErrorBody).errors]).toEqual([400, NO_CHOICES]);
      expect((await change(stage.id, { description: 'x' })).status).toBe(200);
    });

    test('reports all validation errors at once', async () => {
      await makeType();
      const refused = await addField({
        apiName: 'EntryId',
        name: ' ',
        isMultiSelect: true,
        isMoney: true,
        isDateOnly: true,
        entryLists: [2_147_483_647],
        choiceValues: [{ name: 'A' }, { name: 'a' }, { id: 9, name: ' ' }],
        requiredWhen: { match: 'all', conditions: [{ fieldId: 7, operation: 0, value: 1 }] },
        formula: '1 +',
        formulaMaxLength: 5,
      });
      expect(refused.status).toBe(400);
      expect(listErrorPaths(refused)).toEqual([
        'apiName',
        'name',
        'isMultiSelect',
        'isMoney',
        'isDateOnly',
        'formulaMaxLength',
        'requiredWhen',
        'entryLists',
        'choiceValues',
        'choiceValues.1.name',
        'choiceValues.2.name',
        'choiceValues.2.id',
        'entryLists.0',
        'formula',
        'requiredWhen.conditions.0.fieldId',
      ]);
      expect(await loadVersion()).toBe(2);
    });

    test('requires unique apiNames within a type, without regard to case', async () => {
      await makeType();
      await makeType('Deal');
      await addField({ apiName: 'City' });
      expect((await addField({ apiName: 'CITY' })).status).toBe(409);
      expect((await addField({ apiName: 'City' }, 'Deal')).status).toBe(200);
      expect((await addField({ apiName: 'Name' })).status).toBe(409);
      for (const apiName of ['entryid', 'EntryName', 'EntryListId', 'constructor', 'Prototype', 'toString'])
        expect((await addField({ apiName })).status).toBe(400);
    });

    test('rejects changes of the field type, and of the stored form while the type has entries', async () => {
      const type = await makeType();
      const { body: stage } = await addField({
        apiName: 'Stage',
        fieldType: 2,
        choiceValues: [{ name: 'Open' }],
      });
      const { body: price } = await addField({ apiName: 'Price', fieldType: 3 });
      const { body: day } = await addField({ apiName: 'Day', fieldType: 4 });
      expect((await change(stage.id, { fieldType: 1 })).status).toBe(400);
      expect((await change(stage.id, { isMultiSelect: true })).body.isMultiSelect).toBe(true);
      expect((await change(stage.id, { isMultiSelect: false })).status).toBe(200);
      await addEntry(type.id, {});
      const refusals = [
        await change(stage.id, { isMultiSelect: true }),
        await change(price.id, { isMoney: true }),
        await change(day.id, { isDateOnly: true }),
        await change(price.id, { formula: '1' }),
        await addField({ apiName: 'Code', isKey: true }),
      ];
      expect(refusals.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
      expect(refusals.map(listErrorPaths)).toEqual([
        ['isMultiSelect'],
        ['isMoney'],
        ['isDateOnly'],
        ['formula'],
        ['isKey'],
      ]);
    });

    test('keeps exactly one required key field per type, which can change while there are no entries', async () => {
      await makeType();
      const { body: code } = await addField({ apiName: 'Code', isKey: true });
      expect([code.isKey, code.isRequired]).toEqual([true, true]);
      const [name] = (await api().get<FieldVm[]>(`${SCHEMA}/entrytypes/Company/fields`)).body;
      expect(name).toMatchObject({ apiName: 'Name', isKey: false });
      expect((await change(code.id, { isKey: false })).status).toBe(400);
      expect((await change(code.id, { isRequired: false })).status).toBe(400);
      expect((await api().del(`${SCHEMA}/fields/${code.id}`)).status).toBe(409);
      expect((await change(name?.id ?? 0, { isKey: true })).status).toBe(200);
      expect((await api().del(`${SCHEMA}/fields/${code.id}`)).status).toBe(204);
    });

    test('keeps the ids of choices, and rejects the removal of a choice that entries have', async () => {
      const type = await makeType();
      const choiceValues = [{ name: 'Open' }, { name: 'Won' }, { name: 'Lost' }];
      const { body: stage } = await addField({ apiName: 'Stage', fieldType: 2, choiceValues });
      const [open, won, lost] = stage.choiceValues ?? [];
      const keptChoices = [{ id: won?.id, name: 'Signed' }, { id: open?.id, name: 'Open' }, { name: 'Held' }];
      const { body: changed } = await change(stage.id, { choiceValues: keptChoices });
      expect(changed.choiceValues).toMatchObject([
        { id: won?.id, name: 'Signed', seqNumber: 1 },
        { id: open?.id, name: 'Open', seqNumber: 2 },
        { name: 'Held', seqNumber: 3 },
      ]);
      expect((await change(stage.id, { choiceValues: [{ id: lost?.id, name: 'Lost' }] })).status).toBe(400);
      const slot = (await loadSchema(context().db, siteId())).fieldsById.get(stage.id)?.slot;
      expect(slot).toBe('n1');
      for (const id of [won?.id, won?.id, open?.id])
        await context()
          .db.insertInto('entry')
          .values({ site_id: siteId(), type_id: type.id, n1: id, vals: JSON.stringify({ [stage.id]: id }) })
          .execute();
      const refused = await change(stage.id, { choiceValues: [{ name: 'New' }] });
      expect([refused.status, refused.body.message]).toEqual([
        409,
        'These choices cannot be removed, because entries have them: Signed (2), Open (1)',
      ]);
      const history = (await loadSchema(context().db, siteId())).fieldsById
        .get(stage.id)
        ?.choices.get(lost?.id ?? 0);
      expect(history).toMatchObject({ name: 'Lost', isRemoved: true });
    });

    test('rejects the deletion of referenced fields, and renames fields in formulas', async () => {
      await makeType();
      const { body: revenue } = await addField({ apiName: 'Revenue', fieldType: 3 });
      const { body: stage } = await addField({
        apiName: 'Stage',
        fieldType: 2,
        choiceValues: [{ name: 'Won' }],
      });
      const { body: twice } = await addField({ apiName: 'Twice', fieldType: 3, formula: 'revenue * 2' });
      const condition = { fieldId: stage.id, operation: 0, value: stage.choiceValues?.[0]?.id ?? 0 };
      const requiredWhen = { match: 'all' as const, conditions: [condition] };
      const { body: reason } = await addField({ apiName: 'Reason', requiredWhen });
      expect(reason.requiredWhen).toEqual(requiredWhen);
      expect('requiredWhen' in twice).toBe(false);
      const refused = await api().del<ErrorBody>(`${SCHEMA}/fields/${revenue.id}`);
      expect([refused.status, refused.body.message]).toEqual([
        409,
        'The formulas or conditions of these fields refer to Revenue: Twice',
      ]);
      expect((await api().del(`${SCHEMA}/fields/${stage.id}`)).status).toBe(409);
      expect((await change(stage.id, { choiceValues: [{ name: 'Lost' }] })).status).toBe(409);
      expect((await change(revenue.id, { isMoney: true })).status).toBe(200);
      await change(revenue.id, { apiName: 'Sales' });
      expect((await api().get<FieldVm>(`${SCHEMA}/fields/${twice.id}`)).body.formula).toBe('Sales * 2');
      const circle = await change(twice.id, { formula: 'Twice + 1' });
      expect([circle.status, circle.body.message]).toEqual([
        400,
        'formula: must not be circular: Twice reads Twice',
      ]);
      expect((await change(reason.id, { requiredWhen: null })).body.requiredWhen).toBeUndefined();
      expect((await api().del(`${SCHEMA}/fields/${stage.id}`)).status).toBe(204);
    });

    test('honours If-Match, and keeps the version when nothing changes', async () => {
      await makeType();
      const { body: field } = await addField({ apiName: 'City' });
      const path = `${SCHEMA}/fields/${field.id}`;
      const first = String((await api().get(path)).headers.etag);
      const before = await loadVersion();
      expect((await change(field.id, { name: 'City', isRequired: false })).status).toBe(200);
      expect([await loadVersion(), (await api().get(path)).headers.etag]).toEqual([before, first]);
      expect((await change(field.id, { name: 'Town' }, { headers: { 'if-match': first } })).status).toBe(200);
      expect(await loadVersion()).toBe(before + 1);
      expect((await change(field.id, { name: 'Seat' }, { headers: { 'if-match': first } })).status).toBe(412);
      expect((await api().del(path, undefined, { headers: { 'if-match': first } })).status).toBe(412);
    });

    test('increments the schema version, writes the audit log and publishes an event for each change', async () => {
      await makeType();
      const { body: field } = await addField({ apiName: 'City' });
      await change(field.id, { name: 'Town' });
      await api().del(`${SCHEMA}/fields/${field.id}`);
      await api().del(`${SCHEMA}/entrytypes/Company`);
      expect(await loadVersion()).toBe(6);
      const { db } = context();
      const audited = await db
        .selectFrom('audit_log')
        .select('action')
        .where('site_id', '=', siteId())
        .orderBy('audit_id')
        .execute();
      const actions = [
        'entryType.create',
        'field.create',
        'field.update',
        'field.delete',
        'entryType.delete',
      ];
      expect(audited.map(({ action }) => action)).toEqual(actions);
      const events = await db
        .selectFrom('topic_event')
        .select('payload')
        .where('site_id', '=', siteId())
        .orderBy('off')
        .execute();
      expect(events.map(({ payload }) => Object(payload).schemaVersion)).toEqual([2, 3, 4, 5, 6]);
      expect(events.map(({ payload }) => Object.keys(Object(payload).payload.entities))).toEqual([
        ['created'],
        ['created'],
        ['updated'],
        ['deleted'],
        ['deleted'],
      ]);
    });
  });
});
