import type { EntryTypeInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/fields.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { conflict, invalid, notFound, type FieldError } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { done, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { draftOfNew } from './draft.ts';
import { loadSchema, lockSchema } from './load.store.ts';
import { findType, type EntryType, type SiteSchema } from './schema.ts';
import { shownType, typeEvent } from './shown.ts';
import * as store from './store.ts';

type Operations =
  | 'listEntryTypes'
  | 'getEntryType'
  | 'createEntryType'
  | 'updateEntryType'
  | 'deleteEntryType';

const namesOf = ({
  apiName,
  singularName,
  pluralName,
}: Required<EntryTypeInfo>): Required<EntryTypeInfo> => ({
  apiName,
  singularName: singularName.trim(),
  pluralName: pluralName.trim(),
});

/** The type that a request names. */
export function typeOf(schema: SiteSchema, idOrName: string): EntryType {
  const type = findType(schema, idOrName);
  if (!type) throw notFound(`Entry type ${idOrName}`);
  return type;
}

export const entryTypeHandlers: Handlers<Operations> = {
  async listEntryTypes({ db, caller: { siteId } }) {
    const counts = await store.countEntries(db, siteId);
    const { types } = await loadSchema(db, siteId);
    return ok(types.map((type) => shownType(type, counts.get(type.id))));
  },

  async getEntryType({ db, caller: { siteId }, params }) {
    const type = typeOf(await loadSchema(db, siteId), params.entryTypeId);
    return ok(await withCount(db, siteId, type), { etag: etagOf(type.version) });
  },

  async createEntryType(call) {
    const names = namesOf(call.body);
    const id = await change(call.db, actorOf(call), (tx, record) =>
      createType(tx, call.caller.siteId, names, record),
    );
    return ok(shownType({ id, ...names }));
  },

  async updateEntryType(call) {
    const { siteId } = call.caller;
    const type = await change(call.db, actorOf(call), (tx, record) => update(tx, call, record));
    return ok(await withCount(call.db, siteId, type));
  },

  async deleteEntryType(call) {
    await change(call.db, actorOf(call), (tx, record) => remove(tx, call, record));
    return done;
  },
};

const withCount = async (db: Db, siteId: number, type: Parameters<typeof shownType>[0]) =>
  shownType(type, (await store.countEntries(db, siteId)).get(type.id));

/** Every fault of the names, and whether the apiName is another type's: that alone is 409. */
function requireNames(schema: SiteSchema, names: Required<EntryTypeInfo>, ownId?: number): void {
  const faults: FieldError[] = (['singularName', 'pluralName'] as const).flatMap((path) =>
    names[path] === '' ? [{ path, message: 'must not be empty' }] : [],
  );
  const other = schema.typesByName.get(names.apiName.toLowerCase());
  const taken = { path: 'apiName', message: 'is the name of another entry type' };
  const isTaken = other !== undefined && other.id !== ownId;
  if (faults.length > 0) throw invalid(isTaken ? [...faults, taken] : faults);
  if (isTaken) throw conflict(`An entry type named ${names.apiName} exists on this site`, [taken]);
}

/** The field that each type begins with: an entry has a name. */
const NAME = draftOfNew({
  apiName: 'Name',
  name: 'Name',
  fieldType: FIELD.text,
  isKey: true,
  isSearchable: true,
});

/** A new type with the field of its name. @throws ApiError 400, 409 */
export async function createType(
  tx: Tx,
  siteId: number,
  names: Required<EntryTypeInfo>,
  record: Recorder,
): Promise<number> {
  requireNames(await lockSchema(tx, siteId), names);
  const id = await store.insertType(tx, siteId, names);
  await store.insertField(tx, siteId, id, NAME, { slot: 'name', slotState: 'ready', searchState: 'ready' });
  await store.raiseSchema(tx, siteId);
  record({
    action: 'entryType.create',
    subject: ['entryType', id],
    changes: differences(undefined, names),
    event: typeEvent('created', { id, ...names }),
  });
  return id;
}

async function update(tx: Tx, call: Call<'updateEntryType'>, record: Recorder) {
  const { siteId } = call.caller;
  const schema = await lockSchema(tx, siteId);
  const type = typeOf(schema, call.params.entryTypeId);
  requireVersion(call.ifMatch, type.version, `Entry type ${type.apiName}`);
  const before = namesOf(type);
  const names = namesOf({
    apiName: call.body.apiName ?? before.apiName,
    singularName: call.body.singularName ?? before.singularName,
    pluralName: call.body.pluralName ?? before.pluralName,
  });
  requireNames(schema, names, type.id);
  const changes = differences(before, names);
  if (Object.keys(changes).length === 0) return type;
  await store.updateType(tx, siteId, type.id, names);
  await store.raiseSchema(tx, siteId);
  const changed = { id: type.id, ...names };
  record({
    action: 'entryType.update',
    subject: ['entryType', type.id],
    changes,
    event: typeEvent('updated', changed),
  });
  return changed;
}

async function remove(tx: Tx, call: Call<'deleteEntryType'>, record: Recorder): Promise<void> {
  const { siteId } = call.caller;
  const schema = await lockSchema(tx, siteId);
  const type = typeOf(schema, call.params.entryTypeId);
  requireVersion(call.ifMatch, type.version, `Entry type ${type.apiName}`);
  const count = (await store.countEntries(tx, siteId)).get(type.id) ?? 0;
  if (count > 0)
    throw conflict(`${type.apiName} has ${count} ${count === 1 ? 'entry' : 'entries'}. Delete them first.`);
  const referring = [...schema.fieldsById.values()].filter(
    (field) => field.typeId !== type.id && field.entryLists.includes(type.id),
  );
  if (referring.length > 0)
    throw conflict(`${type.apiName} is referred to by ${referring.map(nameIn(schema)).join(', ')}`);
  await store.deleteType(tx, siteId, type.id);
  await store.raiseSchema(tx, siteId);
  record({
    action: 'entryType.delete',
    subject: ['entryType', type.id],
    changes: differences({ ...namesOf(type), fields: type.fields.map(({ apiName }) => apiName) }, undefined),
    event: typeEvent('deleted', type),
  });
}

const nameIn =
  (schema: SiteSchema) =>
  ({ typeId, apiName }: { typeId: number; apiName: string }): string =>
    `${schema.typesById.get(typeId)?.apiName ?? typeId}.${apiName}`;
