import type {
  AddedChoicesInfo,
  FieldVm,
  NewFieldInfo,
  SchemaExtensionInfo,
} from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import { ApiError, badRequest, conflict, type FieldError } from '../../kernel/api-error.ts';
import { change, getActor, type Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { createEntryType, loadEntryTypeVm, requireEntryType } from './entry-types.ts';
import { applyChange, createDraft, toDraft } from './field-draft.ts';
import { FIELD_JOBS_TASK } from './field-jobs.store.ts';
import { createField, requireField, storeFieldChange } from './fields.ts';
import { loadSchema, lockSchemaExclusive } from './schema-cache.store.ts';
import type { EntryType, SchemaField, SiteSchema } from './schema.ts';
import { isNameTaken, validateField } from './validate-field.ts';
import { toFieldVm } from './view-models.ts';
import { planField } from './write-field.ts';

/** Choices that a field can have (contract, NewFieldInfo). */
const MAX_CHOICES = 5000;

export const extensionHandlers: Handlers<'extendSchema'> = {
  async extendSchema(call) {
    const { db, caller, body } = call;
    const { typeId, fieldIds } = await change(db, getActor(call), (tx, record) =>
      extendSchema(tx, caller.siteId, body, record),
    );
    call.services.wakeTask(FIELD_JOBS_TASK);
    const schema = await loadSchema(db, caller.siteId);
    const toVm = (id: number): FieldVm => toFieldVm(requireField(schema, id));
    return ok({
      entryType: await loadEntryTypeVm(db, caller.siteId, requireEntryType(schema, String(typeId))),
      createdFields: fieldIds.map(toVm),
      changedFields: body.choices.map(({ fieldId }) => toVm(fieldId)),
    });
  },
};

/**
 * Creates or extends an entry type in one transaction. @returns the id of the type and those of the fields, in the order of the request.
 * @throws ApiError 400, 404, 409 with the errors of all fields and choices
 */
async function extendSchema(
  tx: Tx,
  siteId: number,
  { newEntryType, entryTypeId, fields, choices }: SchemaExtensionInfo,
  record: Recorder,
): Promise<{ typeId: number; fieldIds: number[] }> {
  if ((newEntryType === undefined) === (entryTypeId === undefined))
    throw badRequest([{ path: 'entryTypeId', message: 'must be given if and only if newEntryType is not' }]);
  const keyIndexes = fields.flatMap(({ isKey }, index) => (isKey ? [index] : []));
  if (keyIndexes.length > 1)
    throw badRequest(
      keyIndexes.map((index) => ({ path: `fields.${index}.isKey`, message: 'must be set for one field' })),
    );
  const [keyIndex] = newEntryType ? keyIndexes : [];
  const typeId = newEntryType
    ? (await withPath('newEntryType', () => createEntryType(tx, siteId, newEntryType, record))).id
    : (entryTypeId ?? 0);
  const getType = (schema: SiteSchema): EntryType => requireEntryType(schema, String(typeId));
  let schema = await lockSchemaExclusive(tx, siteId);
  // A new type already has its key field `Name`: the field with `isKey` changes that one instead of creating another.
  const keyFieldId = getType(schema).keyField.id;
  const keyInfo = keyIndex === undefined ? undefined : fields[keyIndex];
  if (keyInfo) {
    const { fieldType, ...properties } = keyInfo;
    const path = `fields.${keyIndex}`;
    if (fieldType !== FIELD.text)
      throw badRequest([{ path: `${path}.isKey`, message: 'is only for text fields without a formula' }]);
    const field = requireField(schema, keyFieldId);
    const draft = applyChange(field, properties);
    await withPath(path, () => storeFieldChange(tx, { schema, type: getType(schema), field, draft }, record));
    schema = await loadSchema(tx, siteId);
  }
  const isCreated = (index: number): boolean => index !== keyIndex;
  requireValid([
    ...findFieldErrors(schema, getType(schema), fields, isCreated),
    ...findChoiceErrors(getType(schema), choices),
  ]);
  const fieldIds: number[] = [];
  for (const [index, info] of fields.entries())
    fieldIds.push(
      isCreated(index)
        ? await withPath(`fields.${index}`, () => createField(tx, siteId, String(typeId), info, record))
        : keyFieldId,
    );
  for (const [index, info] of choices.entries())
    await withPath(`choices.${index}`, () => addChoices(tx, siteId, typeId, info, record));
  return { typeId, fieldIds };
}

/** Runs `act`; the paths of its errors are put below `path`. */
async function withPath<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const below = error.fields.map((one) => ({
      ...one,
      path: one.path === 'body' ? path : `${path}.${one.path}`,
    }));
    throw new ApiError(error.status, error.message, below, error.headers, error.extra);
  }
}

const NAME_TAKEN = 'is the name of another field';

/** @throws ApiError 400 with all errors; 409 when names are taken and nothing else is wrong */
function requireValid(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  if (errors.every(({ message }) => message === NAME_TAKEN))
    throw conflict('A field with this name exists already', errors);
  throw badRequest(errors);
}

/** Errors of all fields to create, against the stored schema and among each other. */
function findFieldErrors(
  schema: SiteSchema,
  type: EntryType,
  fields: readonly NewFieldInfo[],
  isCreated: (index: number) => boolean,
): FieldError[] {
  const names = new Set<string>();
  return fields.flatMap((info, index) => {
    if (!isCreated(index)) return [];
    const draft = createDraft(info);
    const plan = planField(schema, type, draft);
    const name = draft.apiName.toLowerCase();
    const isTaken = isNameTaken(plan) || names.has(name);
    names.add(name);
    return [...validateField(plan), ...(isTaken ? [{ path: 'apiName', message: NAME_TAKEN }] : [])].map(
      ({ path, message }) => ({ path: `fields.${index}.${path}`, message }),
    );
  });
}

const findChoiceErrors = (type: EntryType, choices: readonly AddedChoicesInfo[]): FieldError[] =>
  choices.flatMap(({ fieldId, names }, index) => {
    const field = type.fields.find(({ id }) => id === fieldId);
    const path = `choices.${index}`;
    if (field?.fieldType !== FIELD.choice)
      return [{ path: `${path}.fieldId`, message: `must be a choice field of ${type.apiName}` }];
    const empty = names.flatMap((name, at) =>
      name.trim() === '' ? [{ path: `${path}.names.${at}`, message: 'must not be empty' }] : [],
    );
    const count = toDraft(field).choiceValues.length + listNewNames(field, names).length;
    return count > MAX_CHOICES
      ? [
          ...empty,
          { path: `${path}.names`, message: `must not be more than ${MAX_CHOICES} choices of a field` },
        ]
      : empty;
  });

/** The names that the field has no choice for, each once. */
function listNewNames(field: SchemaField, names: readonly string[]): string[] {
  const known = new Set(toDraft(field).choiceValues.map(({ name }) => name.toLowerCase()));
  return names.flatMap((name) => {
    const trimmed = name.trim();
    if (known.has(trimmed.toLowerCase())) return [];
    known.add(trimmed.toLowerCase());
    return [trimmed];
  });
}

async function addChoices(
  tx: Tx,
  siteId: number,
  typeId: number,
  { fieldId, names }: AddedChoicesInfo,
  record: Recorder,
): Promise<void> {
  const schema = await lockSchemaExclusive(tx, siteId);
  const field = requireField(schema, fieldId);
  const added = listNewNames(field, names).map((name) => ({ name }));
  const draft = applyChange(field, { choiceValues: [...toDraft(field).choiceValues, ...added] });
  await storeFieldChange(
    tx,
    { schema, type: requireEntryType(schema, String(typeId)), field, draft },
    record,
  );
}
