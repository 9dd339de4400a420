import type { NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { conflict, badRequest, notFound } from '../../kernel/api-error.ts';
import { diffProperties, getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { noContent, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import { listShownFailures } from './calculation-failures.store.ts';
import { requireEntryType } from './entry-types.ts';
import { toDraft, applyChange, createDraft, type FieldDraft } from './field-draft.ts';
import { FIELD_JOBS_TASK } from './field-jobs.store.ts';
import { getCalculations } from './formulas.ts';
import { loadSchema, lockSchemaExclusive } from './schema-cache.store.ts';
import * as store from './schema.store.ts';
import type { EntryType, SchemaField, SiteSchema } from './schema.ts';
import { buildFieldEvent, toFieldVm } from './view-models.ts';
import { planField, requireValidPlan, listShapeChanges, writeField } from './write-field.ts';

type Operations =
  | 'listFields'
  | 'listAllFields'
  | 'listCalculationFailures'
  | 'getField'
  | 'createField'
  | 'updateField'
  | 'deleteField';

/** Entries that are listed for each field with failed calculations. */
const MAX_LISTED_FAILURES = 10;

export const fieldHandlers: Handlers<Operations> = {
  async listFields({ db, caller, params, query }) {
    const { fields } = requireEntryType(await loadSchema(db, caller.siteId), params.entryTypeId);
    const listed = fields
      .filter((field) => !query.editable || field.isStoreRequestSupported)
      .filter((field) => !query.entryForm || field.isOnEntryForm)
      .filter((field) => query.fieldType !== 'editable' || field.isStoreRequestSupported)
      .filter((field) => query.fieldType !== 'calculated' || field.isCalculated);
    return ok(listed.map(toFieldVm));
  },

  async listAllFields({ db, caller }) {
    const { types } = await loadSchema(db, caller.siteId);
    return ok(types.flatMap(({ fields }) => fields.map(toFieldVm)));
  },

  async listCalculationFailures({ db, caller, params }) {
    const { siteId } = caller;
    const { fields } = requireEntryType(await loadSchema(db, siteId), params.entryTypeId);
    const ids = fields.filter(({ isCalculated }) => isCalculated).map(({ id }) => id);
    return ok(await listShownFailures(db, siteId, ids, MAX_LISTED_FAILURES));
  },

  async getField({ db, caller, params }) {
    const field = requireField(await loadSchema(db, caller.siteId), params.fieldId);
    return ok(toFieldVm(field), { etag: formatEtag(field.version) });
  },

  async createField(call) {
    const { siteId } = call.caller;
    const id = await change(call.db, getActor(call), (tx, record) =>
      createField(tx, siteId, call.params.entryTypeId, call.body, record),
    );
    call.services.wakeTask(FIELD_JOBS_TASK);
    return ok(toFieldVm(requireField(await loadSchema(call.db, call.caller.siteId), id)));
  },

  async updateField(call) {
    await change(call.db, getActor(call), (tx, record) => updateField(tx, call, record));
    call.services.wakeTask(FIELD_JOBS_TASK);
    return ok(toFieldVm(requireField(await loadSchema(call.db, call.caller.siteId), call.params.fieldId)));
  },

  async deleteField(call) {
    await change(call.db, getActor(call), (tx, record) => deleteField(tx, call, record));
    call.services.wakeTask(FIELD_JOBS_TASK);
    return noContent;
  },
};

export function requireField(schema: SiteSchema, fieldId: number): SchemaField {
  const field = schema.fieldsById.get(fieldId);
  if (!field) throw notFound(`Field ${fieldId}`);
  return field;
}

function requireTypeOfField(schema: SiteSchema, field: SchemaField): EntryType {
  const type = schema.typesById.get(field.typeId);
  if (!type) throw notFound(`Entry type ${field.typeId}`);
  return type;
}

const countEntriesOfType = async (tx: Tx, siteId: number, type: EntryType): Promise<number> =>
  (await store.countEntries(tx, siteId)).get(type.id) ?? 0;

/** Creates a field and returns its id. @throws ApiError 400, 404, 409 */
export async function createField(
  tx: Tx,
  siteId: number,
  entryTypeId: string,
  info: NewFieldInfo,
  record: Recorder,
): Promise<number> {
  const schema = await lockSchemaExclusive(tx, siteId);
  const type = requireEntryType(schema, entryTypeId);
  const draft = createDraft(info);
  const plan = planField(schema, type, draft);
  const entryCount = await countEntriesOfType(tx, siteId, type);
  requireValidPlan(plan, entryCount);
  const id = await writeField(tx, plan, entryCount);
  await store.incrementSchemaVersion(tx, siteId);
  record({
    action: 'field.create',
    subject: ['field', id, `${type.apiName}.${draft.apiName}`],
    changes: diffProperties(undefined, { entryType: type.id, ...draft }),
    event: buildFieldEvent('created', { ...draft, id, typeId: type.id }),
  });
  return id;
}

async function updateField(tx: Tx, call: Call<'updateField'>, record: Recorder): Promise<void> {
  const { caller, params, body } = call;
  const schema = await lockSchemaExclusive(tx, caller.siteId);
  const field = requireField(schema, params.fieldId);
  const type = requireTypeOfField(schema, field);
  requireVersion(call.ifMatch, field.version, `field ${field.apiName}`);
  requireKeyStays(field, body);
  await storeFieldChange(tx, { schema, type, field, draft: applyChange(field, body) }, record);
}

/** A field with its requested state, below the lock under which the schema was read. */
interface FieldChange {
  schema: SiteSchema;
  type: EntryType;
  field: SchemaField;
  draft: FieldDraft;
}

/** Stores the requested state of a field; writes nothing if it equals the stored one. @throws ApiError 400, 409 */
export async function storeFieldChange(
  tx: Tx,
  { schema, type, field, draft }: FieldChange,
  record: Recorder,
): Promise<void> {
  const { siteId } = schema;
  const plan = planField(schema, type, draft, field);
  const entryCount = await countEntriesOfType(tx, siteId, type);
  requireValidPlan(plan, entryCount, field);
  await requireNoHistory(tx, siteId, field, draft);
  const changes = diffProperties(toDraft(field), draft);
  if (Object.keys(changes).length === 0) return;
  await requireChoicesUnused(tx, siteId, field, draft);
  await writeField(tx, plan, entryCount, field);
  await store.incrementSchemaVersion(tx, siteId);
  record({
    action: 'field.update',
    subject: ['field', field.id, `${type.apiName}.${draft.apiName}`],
    changes,
    event: buildFieldEvent('updated', { ...draft, id: field.id, typeId: type.id }),
  });
}

/**
 * Rejects a change of the stored form of a field that has a history: past values are read and restored with the current
 * fields, and values of another form would fail in every response that contains them.
 * @throws ApiError 409
 */
async function requireNoHistory(
  tx: Tx,
  siteId: number,
  field: SchemaField,
  draft: FieldDraft,
): Promise<void> {
  const changed = listShapeChanges(field, draft);
  if (changed.length === 0 || !(await store.hasHistory(tx, siteId, field))) return;
  const message = `cannot change, because deleted entries had values of ${field.apiName}`;
  throw conflict(
    `${field.apiName} has a history`,
    changed.map((path) => ({ path, message })),
  );
}

/** The key field stays key and required until another field becomes the key. @throws ApiError 400 */
function requireKeyStays(field: SchemaField, body: { isKey?: boolean; isRequired?: boolean }): void {
  const cleared = (['isKey', 'isRequired'] as const).filter((trait) => field.isKey && body[trait] === false);
  if (cleared.length > 0)
    throw badRequest(
      cleared.map((path) => ({ path, message: 'must stay true, because this field names the entries' })),
    );
}

/** Rejects the removal of choices that entries have. @throws ApiError 409 with the number of entries by choice */
async function requireChoicesUnused(
  tx: Tx,
  siteId: number,
  field: SchemaField,
  draft: FieldDraft,
): Promise<void> {
  const keptIds = new Set(draft.choiceValues.map(({ id }) => id));
  const removed = [...field.choices.values()].filter(({ id, isRemoved }) => !isRemoved && !keptIds.has(id));
  if (removed.length === 0) return;
  const uses = await store.countChoiceUses(
    tx,
    siteId,
    field,
    removed.map(({ id }) => id),
  );
  const used = removed.filter(({ id }) => uses.has(id));
  if (used.length === 0) return;
  const usedNames = used.map(({ id, name }) => `${name} (${uses.get(id) ?? 0})`).join(', ');
  throw conflict(`These choices cannot be removed, because entries have them: ${usedNames}`, [
    { path: 'choiceValues', message: `must keep the choices that entries have: ${usedNames}` },
  ]);
}

async function deleteField(tx: Tx, call: Call<'deleteField'>, record: Recorder): Promise<void> {
  const { siteId } = call.caller;
  const schema = await lockSchemaExclusive(tx, siteId);
  const field = requireField(schema, call.params.fieldId);
  const type = requireTypeOfField(schema, field);
  requireVersion(call.ifMatch, field.version, `field ${field.apiName}`);
  if (field.isKey)
    throw conflict(`${field.apiName} names the entries of ${type.apiName} and cannot be deleted`);
  const referring = listReferringFields(field, type);
  if (referring.length > 0)
    throw conflict(
      `The formulas or conditions of these fields refer to ${field.apiName}: ${referring.join(', ')}`,
    );
  await store.deleteField(tx, siteId, field, (await countEntriesOfType(tx, siteId, type)) > 0);
  await store.incrementSchemaVersion(tx, siteId);
  record({
    action: 'field.delete',
    subject: ['field', field.id, `${type.apiName}.${field.apiName}`],
    changes: diffProperties({ entryType: type.id, ...toDraft(field) }, undefined),
    event: buildFieldEvent('deleted', field),
  });
}

/** Names of other fields of the type whose formulas or conditions refer to the field. */
function listReferringFields(field: SchemaField, type: EntryType): string[] {
  const byFormula = getCalculations(type).filter(({ formula }) => formula.fieldIds.includes(field.id));
  const byCondition = type.fields.filter((other) =>
    other.requiredWhen?.conditions.some(({ fieldId }) => fieldId === field.id),
  );
  const names = [
    ...byFormula.map(({ field: { apiName } }) => apiName),
    ...byCondition.map(({ apiName }) => apiName),
  ];
  return [...new Set(names)];
}
