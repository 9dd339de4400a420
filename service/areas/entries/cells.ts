import type { DataRequestResultVm } from '../../../contract/generated/types.gen.ts';
import { holdsMoney } from '../../../contract/rules/fields.ts';
import { invalid } from '../../kernel/http/errors.ts';
import { type Answer, type Call, ok } from '../../kernel/http/handler.ts';
import { loadSchema, type SchemaField, type SiteSchema } from '../schema/index.ts';
import { zonesFor } from './asking.ts';
import { lastTouched, readValues, typesOfEntries } from './cells.store.ts';
import { shownValue } from './shown-dates.ts';
import { currencyFaults } from './written.ts';

interface Item {
  entryId: number;
  fieldId: number;
  currencyCode?: string | null;
}

const key = ({ entryId, fieldId }: Item): string => `${entryId}/${fieldId}`;

/** Why an item cannot be read; the others are answered all the same (shapes 4). */
function refusalOf(item: Item, schema: SiteSchema, types: ReadonlyMap<number, number>): string | undefined {
  const type = types.get(item.entryId);
  if (type === undefined) return `Entry ${item.entryId} does not exist`;
  const field = schema.fieldsById.get(item.fieldId);
  if (!field) return `Field with id ${item.fieldId} does not exist`;
  return field.typeId === type
    ? undefined
    : `Field ${field.apiName} is not one of the type of entry ${item.entryId}`;
}

/** POST entrydata/get: single values, each with who changed it last. */
export async function readCells(call: Call<'readEntryData'>): Promise<Answer<'readEntryData'>> {
  const { reads: db, caller, body, query, services } = call;
  const { siteId } = caller;
  const behavior = query.dateTimeBehavior === 1 ? 1 : 0;
  const faults = currencyFaults(body);
  if (faults.length > 0) throw invalid(faults);
  const schema = await loadSchema(db, siteId);
  const zones = await zonesFor(db, caller, behavior);
  const types = await typesOfEntries(db, siteId, [...new Set(body.map((item) => item.entryId))]);
  const readable = body.filter((item) => refusalOf(item, schema, types) === undefined);
  const values = await valuesOf(db, readable, schema, {
    siteId,
    linkTo: query.resolveReferenceUrl ? services.publicUrl : undefined,
    extended: query.fillExtendedData ?? false,
    wrapIntoArrays: query.wrapIntoArrays ?? false,
  });
  const distinct = [...new Map(readable.map((item) => [key(item), item])).values()];
  const touched = new Map((await lastTouched(db, siteId, distinct)).map((each) => [key(each), each]));
  return ok(
    body.map((item): DataRequestResultVm => {
      const { entryId, fieldId } = item;
      const description = refusalOf(item, schema, types);
      if (description !== undefined) return { entryId, fieldId, error: { code: 404, description } };
      const field = schema.fieldsById.get(fieldId);
      const stored = values.get(entryId)?.get(fieldId);
      const value = field && stored !== undefined ? shownValue(stored, field, behavior, zones) : undefined;
      const last = touched.get(key(item));
      return {
        entryId,
        rowId: entryId,
        fieldId,
        isNoData: value === undefined,
        ...(value !== undefined && { value: value as DataRequestResultVm['value'] }),
        ...(field && holdsMoney(field) && item.currencyCode && { requestedCurrencyCode: item.currencyCode }),
        ...(last && { modified: last.modified.toISOString(), modifiedBy: last.modifiedBy }),
      };
    }),
  );
}

/** The values of all items by entry and field: one statement for each type among them. */
async function valuesOf(
  db: Call['db'],
  items: readonly Item[],
  schema: SiteSchema,
  rendering: Parameters<typeof readValues>[3],
): Promise<Map<number, ReadonlyMap<number, unknown>>> {
  const fieldOf = (item: Item): SchemaField | undefined => schema.fieldsById.get(item.fieldId);
  const values = new Map<number, ReadonlyMap<number, unknown>>();
  for (const [typeId, ofType] of Map.groupBy(items, (item) => fieldOf(item)?.typeId)) {
    if (typeId === undefined) continue;
    const fields = [...new Set(ofType.flatMap((item) => fieldOf(item) ?? []))];
    const ids = [...new Set(ofType.map((item) => item.entryId))];
    // oxlint-disable-next-line no-await-in-loop -- a request seldom names more than one type
    const read = await readValues(db, ids, fields, rendering);
    for (const [entryId, cells] of read) values.set(entryId, cells);
  }
  return values;
}
