import type { EntryTypeInfo, NewEntryTypeInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import { DEFAULT_TYPE_ICON } from '../../../contract/rules/schema/type-icons.ts';
import { isReservedTypeName } from '../../../contract/rules/schema/type-names.ts';
import { conflict, badRequest, notFound, type FieldError } from '../../kernel/api-error.ts';
import { diffProperties, getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { noContent, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import { createDraft } from './field-draft.ts';
import { loadSchema, lockSchemaExclusive } from './schema-cache.store.ts';
import * as store from './schema.store.ts';
import { findEntryType, type EntryType, type SiteSchema } from './schema.ts';
import { toEntryTypeVm, buildEntryTypeEvent } from './view-models.ts';

type Operations =
  | 'listEntryTypes'
  | 'listEntryTypeStatistics'
  | 'getEntryType'
  | 'createEntryType'
  | 'updateEntryType'
  | 'deleteEntryType';

const trimNames = ({
  apiName,
  singularName,
  pluralName,
  icon,
}: Required<EntryTypeInfo>): Required<EntryTypeInfo> => ({
  apiName,
  singularName: singularName.trim(),
  pluralName: pluralName.trim(),
  icon,
});

/** The entry type with this number or apiName. @throws ApiError 404 */
export function requireEntryType(schema: SiteSchema, idOrName: string): EntryType {
  const type = findEntryType(schema, idOrName);
  if (!type) throw notFound(`Entry type ${idOrName}`);
  return type;
}

/** Days of which the numbers of entries are reported. */
const STATISTICS_DAYS = 30;

/** Numbers of entries before the first day and at the end of each, counted back from the number now. */
function toEntryCounts(now: number, changes: readonly store.EntryCountChange[]): number[] {
  const counts = [now];
  for (let daysAgo = 0; daysAgo < STATISTICS_DAYS; daysAgo += 1) {
    const difference = changes.find((each) => each.daysAgo === daysAgo)?.difference ?? 0;
    counts.unshift((counts[0] ?? 0) - difference);
  }
  return counts;
}

export const entryTypeHandlers: Handlers<Operations> = {
  async listEntryTypes({ db, caller: { siteId } }) {
    const counts = await store.countEntries(db, siteId);
    const { types } = await loadSchema(db, siteId);
    return ok(types.map((type) => toEntryTypeVm(type, counts.get(type.id))));
  },

  async listEntryTypeStatistics({ db, caller: { siteId } }) {
    const counts = await store.countEntries(db, siteId);
    const changes = await store.listEntryCountChanges(db, siteId, STATISTICS_DAYS);
    const lastChanges = await store.listLastChanges(db, siteId);
    const { types } = await loadSchema(db, siteId);
    return ok(
      types.map(({ id }) => {
        const lastChange = lastChanges.get(id);
        return {
          entryTypeId: id,
          entryCounts: toEntryCounts(
            counts.get(id) ?? 0,
            changes.filter(({ typeId }) => typeId === id),
          ),
          lastChangedAt: lastChange?.at.toISOString() ?? null,
          lastChangedBy: lastChange?.userId ?? null,
        };
      }),
    );
  },

  async getEntryType({ db, caller: { siteId }, params }) {
    const type = requireEntryType(await loadSchema(db, siteId), params.entryTypeId);
    return ok(await loadEntryTypeVm(db, siteId, type), { etag: formatEtag(type.version) });
  },

  async createEntryType(call) {
    const created = await change(call.db, getActor(call), (tx, record) =>
      createEntryType(tx, call.caller.siteId, call.body, record),
    );
    return ok(toEntryTypeVm(created));
  },

  async updateEntryType(call) {
    const { siteId } = call.caller;
    const type = await change(call.db, getActor(call), (tx, record) => updateEntryType(tx, call, record));
    return ok(await loadEntryTypeVm(call.db, siteId, type));
  },

  async deleteEntryType(call) {
    await change(call.db, getActor(call), (tx, record) => deleteEntryType(tx, call, record));
    return noContent;
  },
};

export const loadEntryTypeVm = async (db: Db, siteId: number, type: Parameters<typeof toEntryTypeVm>[0]) =>
  toEntryTypeVm(type, (await store.countEntries(db, siteId)).get(type.id));

/** @throws ApiError 400 with all errors of the names; 409 when only the apiName is taken by another type */
function requireValidNames(schema: SiteSchema, names: Required<EntryTypeInfo>, ownId?: number): void {
  const errors: FieldError[] = (['singularName', 'pluralName'] as const).flatMap((path) =>
    names[path] === '' ? [{ path, message: 'must not be empty' }] : [],
  );
  const current = ownId === undefined ? undefined : schema.typesById.get(ownId)?.apiName;
  // A type of an earlier version may keep its reserved name; programs address it by number.
  if (isReservedTypeName(names.apiName) && names.apiName !== current)
    errors.push({
      path: 'apiName',
      message: `must not be ${names.apiName}: paths of the interface use this word, so that the entry type could not be addressed by name`,
    });
  const other = schema.typesByName.get(names.apiName.toLowerCase());
  const nameTaken = { path: 'apiName', message: 'is the name of another entry type' };
  const isTaken = other !== undefined && other.id !== ownId;
  if (errors.length > 0) throw badRequest(isTaken ? [...errors, nameTaken] : errors);
  if (isTaken) throw conflict(`An entry type named ${names.apiName} exists on this site`, [nameTaken]);
}

/** Key field that every new type is created with. */
const NAME_FIELD = createDraft({
  apiName: 'Name',
  name: 'Name',
  fieldType: FIELD.text,
  isKey: true,
  isSearchable: true,
});

/** Creates an entry type with its key field and returns it with its id. @throws ApiError 400, 409 */
export async function createEntryType(
  tx: Tx,
  siteId: number,
  info: NewEntryTypeInfo,
  record: Recorder,
): Promise<{ id: number } & Required<EntryTypeInfo>> {
  const names = trimNames({ icon: DEFAULT_TYPE_ICON, ...info });
  requireValidNames(await lockSchemaExclusive(tx, siteId), names);
  const id = await store.insertEntryType(tx, siteId, names);
  await store.insertField(tx, siteId, id, NAME_FIELD, {
    slot: 'name',
    slotState: 'ready',
    searchState: 'ready',
  });
  await store.incrementSchemaVersion(tx, siteId);
  record({
    action: 'entryType.create',
    subject: ['entryType', id, names.apiName],
    changes: diffProperties(undefined, names),
    event: buildEntryTypeEvent('created', { id, ...names }),
  });
  return { id, ...names };
}

async function updateEntryType(tx: Tx, call: Call<'updateEntryType'>, record: Recorder) {
  const { siteId } = call.caller;
  const schema = await lockSchemaExclusive(tx, siteId);
  const type = requireEntryType(schema, call.params.entryTypeId);
  requireVersion(call.ifMatch, type.version, `entry type ${type.apiName}`);
  const before = trimNames(type);
  const names = trimNames({
    apiName: call.body.apiName ?? before.apiName,
    singularName: call.body.singularName ?? before.singularName,
    pluralName: call.body.pluralName ?? before.pluralName,
    icon: call.body.icon ?? before.icon,
  });
  requireValidNames(schema, names, type.id);
  const changes = diffProperties(before, names);
  if (Object.keys(changes).length === 0) return type;
  await store.updateEntryType(tx, siteId, type.id, names);
  await store.incrementSchemaVersion(tx, siteId);
  const changed = { id: type.id, ...names };
  record({
    action: 'entryType.update',
    subject: ['entryType', type.id, names.apiName],
    changes,
    event: buildEntryTypeEvent('updated', changed),
  });
  return changed;
}

async function deleteEntryType(tx: Tx, call: Call<'deleteEntryType'>, record: Recorder): Promise<void> {
  const { siteId } = call.caller;
  const schema = await lockSchemaExclusive(tx, siteId);
  const type = requireEntryType(schema, call.params.entryTypeId);
  requireVersion(call.ifMatch, type.version, `entry type ${type.apiName}`);
  const count = (await store.countEntries(tx, siteId)).get(type.id) ?? 0;
  if (count > 0)
    throw conflict(`${type.apiName} has ${count} ${count === 1 ? 'entry' : 'entries'}. Delete them first.`);
  const referring = [...schema.fieldsById.values()].filter(
    (field) => field.typeId !== type.id && field.entryLists.includes(type.id),
  );
  if (referring.length > 0)
    throw conflict(`${type.apiName} is referred to by ${referring.map(formatFieldPath(schema)).join(', ')}`);
  await store.deleteEntryType(tx, siteId, type.id);
  await store.incrementSchemaVersion(tx, siteId);
  record({
    action: 'entryType.delete',
    subject: ['entryType', type.id, type.apiName],
    changes: diffProperties(
      { ...trimNames(type), fields: type.fields.map(({ apiName }) => apiName) },
      undefined,
    ),
    event: buildEntryTypeEvent('deleted', type),
  });
}

const formatFieldPath =
  (schema: SiteSchema) =>
  ({ typeId, apiName }: { typeId: number; apiName: string }): string =>
    `${schema.typesById.get(typeId)?.apiName ?? typeId}.${apiName}`;
