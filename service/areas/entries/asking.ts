import { type Condition, ENTRY_ID, type QueryFault } from '../../../contract/rules/query/tree.ts';
import { isFileField } from '../../../contract/rules/fields.ts';
import type { Db } from '../../kernel/db/database.ts';
import { invalid, notFound } from '../../kernel/http/errors.ts';
import {
  type DateTimeBehavior,
  type EntryType,
  findField,
  findType,
  loadSchema,
  storedDate,
  type SchemaField,
  type SiteSchema,
  type Zones,
  zonesOf,
} from '../schema/index.ts';
import type { Asked } from './conditions.store.ts';
import type { Order } from './rows.store.ts';

/** The type that a path names. @throws ApiError 404 */
export function typeCalled(schema: SiteSchema, name: string): EntryType {
  const type = findType(schema, name);
  if (!type) throw notFound(`Entry type "${name}"`);
  return type;
}

const UTC: Zones = { user: 'UTC', site: 'UTC' };

/** The zones of a request; those of the user are looked up only where they matter. */
export const zonesFor = (
  db: Db,
  caller: { siteId: number; userId: number },
  behavior: DateTimeBehavior,
): Promise<Zones> => (behavior === 0 ? Promise.resolve(UTC) : zonesOf(db, caller.siteId, caller.userId));

export async function typeOf(db: Db, siteId: number, name: string): Promise<EntryType> {
  return typeCalled(await loadSchema(db, siteId), name);
}

/** How texts of dates in a condition are meant. */
export const askedIn = (siteId: number, behavior: DateTimeBehavior, zones: Zones): Asked => ({
  siteId,
  stored(date, field) {
    const stored = storedDate(date, field.isDateOnly, behavior, zones);
    if (stored === undefined)
      throw invalid([{ path: 'query', message: `"${date}" is no date of the years 1 to 9999` }]);
    return stored;
  },
});

/** The condition of a query. @throws ApiError 400 with every fault */
export function conditionOr400(read: { condition?: Condition; faults?: readonly QueryFault[] }): Condition {
  if (read.condition) return read.condition;
  const faults = read.faults ?? [];
  const [only] = faults;
  // The public words of this one fault are given (shapes 4).
  if (only && faults.length === 1 && only.message.startsWith('Field with name'))
    throw Object.assign(invalid(faults), { message: only.message });
  throw invalid(faults);
}

const unknownField = (name: string): string => `Field with name "${name}" does not exist`;

/** The fields that are asked for by name; all of the type where none is. @throws ApiError 400 */
export function fieldsCalled(type: EntryType, names: readonly string[] | undefined): readonly SchemaField[] {
  if (!names || names.length === 0) return type.fields;
  const wanted = names.filter((name) => name.toLowerCase() !== ENTRY_ID.toLowerCase());
  const unknown = wanted.flatMap((name, index) =>
    findField(type, name) ? [] : [{ path: `fields.${index}`, message: unknownField(name) }],
  );
  if (unknown.length > 0) return conditionOr400({ faults: unknown }) as never;
  return [...new Set(wanted.flatMap((name) => findField(type, name) ?? []))];
}

/** What `orderBy` names: a field with one value, with a minus for descending; EntryId is the order anyway. */
export function orderCalled(type: EntryType, orderBy: string | undefined): Order | undefined {
  if (orderBy === undefined || orderBy === '') return undefined;
  const descending = orderBy.startsWith('-');
  const name = descending ? orderBy.slice(1) : orderBy;
  if (name.toLowerCase() === ENTRY_ID.toLowerCase() && !descending) return undefined;
  const field = findField(type, name);
  if (!field) throw invalid([{ path: 'orderBy', message: unknownField(name) }]);
  if (field.isMultiSelect || isFileField(field.fieldType))
    throw invalid([
      { path: 'orderBy', message: `${field.apiName} has no order: it holds files or several values` },
    ]);
  return { field, descending };
}
