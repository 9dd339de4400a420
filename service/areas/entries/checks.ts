import { FIELD } from '../../../contract/rules/fields.ts';
import { nearKey } from '../../../contract/rules/near-names.ts';
import type { Tx } from '../../kernel/db/database.ts';
import type { FieldError } from '../../kernel/http/errors.ts';
import type { EntryType } from '../schema/index.ts';
import type { Draft } from './drafts.ts';
import * as store from './write.store.ts';

/** Ids that values name and that must exist: `types` has those of the entries that are referred to. */
export async function unknownIds(
  tx: Tx,
  siteId: number,
  drafts: readonly Draft[],
  types: ReadonlyMap<number, number>,
): Promise<FieldError[]> {
  const named = drafts.flatMap((draft) =>
    [...draft.touched.values()].flatMap(({ field, path }) => {
      const value = draft.after[field.id];
      const ids = typeof value === 'number' ? [value] : Array.isArray(value) ? value : [];
      return ids.filter((id) => typeof id === 'number').map((id) => ({ field, path: `${path}.value`, id }));
    }),
  );
  const references = named.filter(({ field }) => field.fieldType === FIELD.reference);
  const users = named.filter(({ field }) => field.fieldType === FIELD.user);
  const members =
    users.length > 0
      ? await store.usersAmong(tx, siteId, [...new Set(users.map(({ id }) => id))])
      : new Set<number>();
  return [
    ...references.flatMap(({ field, path, id }) => {
      const type = types.get(id);
      if (type === undefined) return [{ path, message: `Entry ${id} does not exist` }];
      return field.entryLists.length === 0 || field.entryLists.includes(type)
        ? []
        : [{ path, message: `Entry ${id} is of a type that ${field.apiName} does not refer to` }];
    }),
    ...users
      .filter(({ id }) => !members.has(id))
      .map(({ path, id }) => ({ path, message: `User ${id} is not on this site` })),
  ];
}

/** Names that are nearly those of other entries, stored or in the same request, where the request does not allow it. */
export async function nearFaults(
  tx: Tx,
  siteId: number,
  type: EntryType,
  drafts: readonly Draft[],
): Promise<FieldError[]> {
  const named = drafts.flatMap((draft) => {
    const name = draft.after[type.key.id];
    const touched = draft.touched.get(type.key.id);
    if (!touched || typeof name !== 'string' || name === draft.before[type.key.id]) return [];
    const key = nearKey(name);
    return key === undefined ? [] : [{ draft, key, name, path: `${touched.path}.value` }];
  });
  const checked = named.filter(({ draft }) => !draft.ignoreNearDups);
  if (checked.length === 0) return [];
  const renamed = named.filter(({ draft }) => !draft.isNew).map(({ draft }) => draft.entryId);
  const stored = await store.nearEntries(
    tx,
    siteId,
    type.id,
    [...new Set(checked.map(({ key }) => key))],
    renamed,
  );
  const sameKey = Map.groupBy(named, ({ key }) => key);
  return checked.flatMap(({ draft, key, path }) => {
    const near = stored.get(key);
    const words = 'ignoreNearDups stores it all the same';
    if (near)
      return [{ path, message: `"${near.name}" (entry ${near.entryId}) has nearly this name; ${words}` }];
    const twin = sameKey.get(key)?.find((each) => each.draft !== draft);
    return twin
      ? [{ path, message: `"${twin.name}" in this request is nearly the same name; ${words}` }]
      : [];
  });
}
