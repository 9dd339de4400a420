import { describe, expect, it } from 'vitest';
import { buildHeatMap, OTHER_FIELDS } from './heat-map.ts';

const field = (entryTypeId: number, fieldId: number, fieldName: string, values: number) => ({
  entryTypeId,
  fieldId,
  fieldName,
  values,
});

describe('buildHeatMap', () => {
  it('joins fields of one name in a column, most read types and names first', () => {
    const map = buildHeatMap([
      field(1, 10, 'Name', 100),
      field(1, 11, 'Sector', 4),
      field(2, 20, 'Name', 400),
      field(2, 21, 'Note', 0),
    ]);
    expect(map.columns).toEqual(['Name', 'Sector', 'Note']);
    expect(map.rows.map(({ entryTypeId }) => entryTypeId)).toEqual([2, 1]);
    expect(map.rows[0]?.cells).toEqual([
      { field: { entryTypeId: 2, fieldId: 20 }, values: 400, level: 4 },
      undefined,
      { field: { entryTypeId: 2, fieldId: 21 }, values: 0, level: 0 },
    ]);
    expect(map.rows[1]?.cells.map((cell) => cell?.level)).toEqual([2, 1, undefined]);
    expect(map.max).toBe(400);
  });

  it('sums up the fields after the eleventh name', () => {
    const many = Array.from({ length: 14 }, (_, at) => field(1, at, `Field ${at}`, 20 - at));
    const { columns, rows } = buildHeatMap(many);
    expect(columns).toHaveLength(12);
    expect(columns.at(-1)).toBe(OTHER_FIELDS);
    expect(rows[0]?.cells.at(-1)).toMatchObject({ field: undefined, values: 9 + 8 + 7 });
  });

  it('shows twelve names without a sum, and nothing for nothing', () => {
    const twelve = Array.from({ length: 12 }, (_, at) => field(1, at, `Field ${at}`, at));
    expect(buildHeatMap(twelve).columns).not.toContain(OTHER_FIELDS);
    expect(buildHeatMap([])).toEqual({ columns: [], rows: [], max: 0 });
  });
});
