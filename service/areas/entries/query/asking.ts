import { type Condition, ENTRY_ID, type QueryFault } from '../../../../contract/rules/query/tree.ts';
import { isFileField } from '../../../../contract/rules/fields.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { ApiError, invalid, notFound } from '../../../kernel/http/errors.ts';
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
} from '../../schema/index.ts';
import type { Asked } from './conditions.store.ts';
import type { Order } from './order.store.ts';

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
  meaning: [behavior, zones.user, zones.site],
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
  refuse(read.faults ?? []);
  throw new Error('A query is read, or it has faults');
}

/** @throws ApiError 400 with the faults, where there are any */
function refuse(faults: readonly QueryFault[]): void {
  const [only] = faults;
  if (!only) return;
  // The public words of this one fault are given (shapes 4).
  if (faults.length === 1 && only.message.startsWith('Field with name'))
    throw new ApiError(400, only.message, faults);
  throw invalid(faults);
}

const isEntryId = (name: string): boolean => name.toLowerCase() === ENTRY_ID.toLowerCase();
const unknownField = (name: string): string => `Field with name "${name}" does not exist`;

/** The fields that are asked for by name; all of the type where none is. @throws ApiError 400 */
export function fieldsCalled(type: EntryType, names: readonly string[] | undefined): readonly SchemaField[] {
  if (!names || names.length === 0) return type.fields;
  const unknown = names.flatMap((name, index) =>
    isEntryId(name) || findField(type, name)
      ? []
      : [{ path: `fields.${index}`, message: unknownField(name) }],
  );
  refuse(unknown);
  return [...new Set(names.flatMap((name) => findField(type, name) ?? []))];
}

/** What `orderBy` names: a field with one value, or EntryId, with a minus for descending. */
export function orderCalled(type: EntryType, orderBy: string | undefined): Order | undefined {
  if (orderBy === undefined || orderBy === '') return undefined;
  const descending = orderBy.startsWith('-');
  const name = descending ? orderBy.slice(1) : orderBy;
  if (isEntryId(name)) return descending ? { field: ENTRY_ID, descending } : undefined;
  const field = findField(type, name);
  if (!field) return refuse([{ path: 'orderBy', message: unknownField(name) }]) as undefined;
  if (field.isMultiSelect || isFileField(field.fieldType))
    throw invalid([
      { path: 'orderBy', message: `${field.apiName} has no order: it holds files or several values` },
    ]);
  return { field, descending };
}
