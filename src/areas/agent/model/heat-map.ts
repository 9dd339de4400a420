/** A field of an entry type; id 0 is the name of its entries. */
export interface ReadFieldKey {
  entryTypeId: number;
  fieldId: number;
}

export const isSameField = (one: ReadFieldKey, other: ReadFieldKey | undefined): boolean =>
  one.entryTypeId === other?.entryTypeId && one.fieldId === other.fieldId;

/** Values that agents read of one field. */
export interface ReadField extends ReadFieldKey {
  /** Name of the field, by which the columns of several types are joined. */
  fieldName: string;
  values: number;
}

/** Steps of the color scale; 0 is for no value. */
type HeatLevel = 0 | 1 | 2 | 3 | 4;

interface HeatCell {
  /** The only field of the type in the column; undefined where the last column sums up several. */
  field: ReadFieldKey | undefined;
  values: number;
  level: HeatLevel;
}

export interface HeatMap {
  columns: readonly string[];
  rows: readonly {
    entryTypeId: number;
    values: number;
    /** One per column; undefined where the type has no field with that name. */
    cells: readonly (HeatCell | undefined)[];
  }[];
  /** Largest number of a cell. */
  max: number;
}

/** Columns before the one that sums up the rest. */
const MAX_COLUMNS = 11;
export const OTHER_FIELDS = 'Other fields';

/** The color grows with the square root, so that rarely read fields remain visible beside names. */
const getLevel = (values: number, max: number): HeatLevel => {
  if (values === 0) return 0;
  const level = Math.ceil(4 * Math.sqrt(values / max));
  return level >= 4 ? 4 : level === 3 ? 3 : level === 2 ? 2 : 1;
};

const sum = (fields: readonly ReadField[]): number => fields.reduce((total, { values }) => total + values, 0);

/** Groups of the fields, those with most values first; equal ones in their given order. */
const rank = <Key>(groups: Map<Key, ReadField[]>): [Key, ReadField[]][] =>
  [...groups].toSorted(([, a], [, b]) => sum(b) - sum(a));

/**
 * Arranges read fields as a table of entry types by field name, most read first. Fields beyond the eleventh name are
 * summed up in a last column.
 * @param fields also those that were not read, with 0 values
 */
export function buildHeatMap(fields: readonly ReadField[]): HeatMap {
  const names = rank(Map.groupBy(fields, ({ fieldName }) => fieldName)).map(([name]) => name);
  const shown = names.length > MAX_COLUMNS + 1 ? names.slice(0, MAX_COLUMNS) : names;
  const columns = shown.length < names.length ? [...shown, OTHER_FIELDS] : shown;
  const getColumn = (name: string) => (shown.includes(name) ? name : OTHER_FIELDS);
  const rows = rank(Map.groupBy(fields, ({ entryTypeId }) => entryTypeId)).map(([entryTypeId, ofType]) => {
    const byColumn = Map.groupBy(ofType, ({ fieldName }) => getColumn(fieldName));
    return {
      entryTypeId,
      values: sum(ofType),
      cells: columns.map((column) => {
        const inCell = byColumn.get(column);
        const [first] = inCell ?? [];
        if (!inCell || !first) return undefined;
        const { fieldId } = first;
        return { field: inCell.length === 1 ? { entryTypeId, fieldId } : undefined, values: sum(inCell) };
      }),
    };
  });
  const max = Math.max(0, ...rows.flatMap(({ cells }) => cells.map((cell) => cell?.values ?? 0)));
  return {
    columns,
    max,
    rows: rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell) => cell && { ...cell, level: getLevel(cell.values, max) }),
    })),
  };
}
