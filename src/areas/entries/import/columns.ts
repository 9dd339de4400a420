import { ENTRY_ID } from '../export/headings.ts';
import type { Field } from '../model/schema.ts';
import { targetsOf } from './targets.ts';
import type { Mapping } from './targets.ts';

/** Where the parts of a field stand in a row. */
export interface FieldCells {
  field: Field;
  value: number | undefined;
  id: number | undefined;
  currency: number | undefined;
}

/** Where everything stands in a row. */
export interface Columns {
  entryId: number | undefined;
  fields: readonly FieldCells[];
}

export function columnsOf(mapping: Mapping, fields: readonly Field[]): Columns {
  const targets = new Map(targetsOf(fields).map((target) => [target.key, target]));
  const cells = new Map<number, FieldCells>();
  for (const [at, key] of mapping.entries()) {
    const { field, part } = (key === undefined ? undefined : targets.get(key)) ?? {};
    if (!field || !part) continue;
    const known = cells.get(field.id) ?? { field, value: undefined, id: undefined, currency: undefined };
    cells.set(field.id, { ...known, [part]: at });
  }
  const entryId = mapping.indexOf(ENTRY_ID);
  return { entryId: entryId < 0 ? undefined : entryId, fields: [...cells.values()] };
}
