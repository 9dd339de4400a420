import type { NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { conflict, invalid, notFound } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { done, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { FIELD_JOBS } from './chore.ts';
import { choiceUses } from './choices.store.ts';
import { draftOf, draftOfChange, draftOfNew, type Draft } from './draft.ts';
import { typeOf } from './entry-types.ts';
import { calculationsOf } from './formulas.ts';
import { loadSchema, lockSchema } from './load.store.ts';
import type { EntryType, SchemaField, SiteSchema } from './schema.ts';
import { fieldEvent, shownField } from './shown.ts';
import * as store from './store.ts';
import { planOf, requireSound, shapeChanges, writeField } from './write-field.ts';

type Operations = 'listFields' | 'listAllFields' | 'getField' | 'createField' | 'updateField' | 'deleteField';

export const fieldHandlers: Handlers<Operations> = {
  async listFields({ db, caller, params, query }) {
    const { fields } = typeOf(await loadSchema(db, caller.siteId), params.entryTypeId);
    const listed = fields
      .filter((field) => !query.editable || field.isStoreRequestSupported)
      .filter((field) => !query.entryForm || field.isOnEntryForm)
      .filter((field) => query.fieldType !== 'editable' || field.isStoreRequestSupported)
      .filter((field) => query.fieldType !== 'calculated' || field.isCalculated);
    return ok(listed.map(shownField));
  },

  async listAllFields({ db, caller }) {
    const { types } = await loadSchema(db, caller.siteId);
    return ok(types.flatMap(({ fields }) => fields.map(shownField)));
  },

  async getField({ db, caller, params }) {
    const field = fieldOf(await loadSchema(db, caller.siteId), params.fieldId);
    return ok(shownField(field), { etag: etagOf(field.version) });
  },

  async createField(call) {
    const { siteId } = call.caller;
    const id = await change(call.db, actorOf(call), (tx, record) =>
      addField(tx, siteId, call.params.entryTypeId, call.body, record),
    );
    call.services.wakeChore(FIELD_JOBS);
    return ok(shownField(fieldOf(await loadSchema(call.db, call.caller.siteId), id)));
  },

  async updateField(call) {
    await change(call.db, actorOf(call), (tx, record) => update(tx, call, record));
    call.services.wakeChore(FIELD_JOBS);
    return ok(shownField(fieldOf(await loadSchema(call.db, call.caller.siteId), call.params.fieldId)));
  },

  async deleteField(call) {
    await change(call.db, actorOf(call), (tx, record) => remove(tx, call, record));
    call.services.wakeChore(FIELD_JOBS);
    return done;
  },
};

function fieldOf(schema: SiteSchema, fieldId: number): SchemaField {
  const field = schema.fieldsById.get(fieldId);
  if (!field) throw notFound(`Field ${fieldId}`);
  return field;
}

function typeWith(schema: SiteSchema, field: SchemaField): EntryType {
  const type = schema.typesById.get(field.typeId);
  if (!type) throw notFound(`Entry type ${field.typeId}`);
  return type;
}

const countOf = async (tx: Tx, siteId: number, type: EntryType): Promise<number> =>
  (await store.countEntries(tx, siteId)).get(type.id) ?? 0;

/** A new field of a type; answers its id. @throws ApiError 400, 404, 409 */
export async function addField(
  tx: Tx,
  siteId: number,
  entryTypeId: string,
  info: NewFieldInfo,
  record: Recorder,
): Promise<number> {
  const schema = await lockSchema(tx, siteId);
  const type = typeOf(schema, entryTypeId);
  const draft = draftOfNew(info);
  const plan = planOf(schema, type, draft);
  const entryCount = await countOf(tx, siteId, type);
  requireSound(plan, entryCount);
  const id = await writeField(tx, plan, entryCount);
  await store.raiseSchema(tx, siteId);
  record({
    action: 'field.create',
    subject: ['field', id],
    changes: differences(undefined, { entryType: type.id, ...draft }),
    event: fieldEvent('created', { ...draft, id, typeId: type.id }),
  });
  return id;
}

async function update(tx: Tx, call: Call<'updateField'>, record: Recorder): Promise<void> {
  const { caller, params, body } = call;
  const schema = await lockSchema(tx, caller.siteId);
  const field = fieldOf(schema, params.fieldId);
  const type = typeWith(schema, field);
  requireVersion(call.ifMatch, field.version, `Field ${field.apiName}`);
  const draft = draftOfChange(field, body);
  requireKey(field, body);
  const plan = planOf(schema, type, draft, field);
  const entryCount = await countOf(tx, caller.siteId, type);
  requireSound(plan, entryCount, field);
  await requireNoPast(tx, schema.siteId, field, draft);
  const changes = differences(draftOf(field), draft);
  if (Object.keys(changes).length === 0) return;
  await requireUnused(tx, caller.siteId, field, draft);
  await writeField(tx, plan, entryCount, field);
  await store.raiseSchema(tx, caller.siteId);
  record({
    action: 'field.update',
    subject: ['field', field.id],
    changes,
    event: fieldEvent('updated', { ...draft, id: field.id, typeId: type.id }),
  });
}

/**
 * The past is read with the fields of today, and what was deleted comes back as it was: values of another shape would be
 * an error in every answer that meets them.
 * @throws ApiError 409
 */
async function requireNoPast(tx: Tx, siteId: number, field: SchemaField, draft: Draft): Promise<void> {
  const changed = shapeChanges(field, draft);
  if (changed.length === 0 || !(await store.hasPast(tx, siteId, field))) return;
  const message = `cannot change: entries that were deleted had values of ${field.apiName}`;
  throw conflict(
    `${field.apiName} has a history`,
    changed.map((path) => ({ path, message })),
  );
}

/** The field that names entries stays that and stays required, until another one takes its place. */
function requireKey(field: SchemaField, body: { isKey?: boolean; isRequired?: boolean }): void {
  const lost = (['isKey', 'isRequired'] as const).filter((trait) => field.isKey && body[trait] === false);
  if (lost.length > 0)
    throw invalid(
      lost.map((path) => ({ path, message: 'must stay: the values of this field name the entries' })),
    );
}

/** @throws ApiError 409 that tells how many entries have the choices that would go */
async function requireUnused(tx: Tx, siteId: number, field: SchemaField, draft: Draft): Promise<void> {
  const kept = new Set(draft.choiceValues.map(({ id }) => id));
  const removed = [...field.choices.values()].filter(({ id, isRemoved }) => !isRemoved && !kept.has(id));
  if (removed.length === 0) return;
  const uses = await choiceUses(
    tx,
    siteId,
    field,
    removed.map(({ id }) => id),
  );
  const used = removed.filter(({ id }) => uses.has(id));
  if (used.length === 0) return;
  const told = used.map(({ id, name }) => `${name} (${uses.get(id) ?? 0})`).join(', ');
  throw conflict(`These choices cannot be removed, because entries have them: ${told}`, [
    { path: 'choiceValues', message: `must keep the choices that entries have: ${told}` },
  ]);
}

async function remove(tx: Tx, call: Call<'deleteField'>, record: Recorder): Promise<void> {
  const { siteId } = call.caller;
  const schema = await lockSchema(tx, siteId);
  const field = fieldOf(schema, call.params.fieldId);
  const type = typeWith(schema, field);
  requireVersion(call.ifMatch, field.version, `Field ${field.apiName}`);
  if (field.isKey)
    throw conflict(
      `${field.apiName} names the entries of ${type.apiName} and stays as long as the type does`,
    );
  const referring = referringTo(field, type);
  if (referring.length > 0)
    throw conflict(
      `The formulas or conditions of these fields refer to ${field.apiName}: ${referring.join(', ')}`,
    );
  await store.deleteField(tx, siteId, field, (await countOf(tx, siteId, type)) > 0);
  await store.raiseSchema(tx, siteId);
  record({
    action: 'field.delete',
    subject: ['field', field.id],
    changes: differences({ entryType: type.id, ...draftOf(field) }, undefined),
    event: fieldEvent('deleted', field),
  });
}

/** Other fields of the type whose formulas read the field, or whose conditions ask for it. */
function referringTo(field: SchemaField, type: EntryType): string[] {
  const reading = calculationsOf(type).filter(({ formula }) => formula.reads.includes(field.id));
  const asking = type.fields.filter((other) =>
    other.requiredWhen?.conditions.some(({ fieldId }) => fieldId === field.id),
  );
  const names = [
    ...reading.map(({ field: { apiName } }) => apiName),
    ...asking.map(({ apiName }) => apiName),
  ];
  return [...new Set(names)];
}
