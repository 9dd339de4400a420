import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EntryImportRow } from '../../../../contract/generated/types.gen.ts';
import { zEntryImportRow } from '../../../api/generated/zod.gen.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { toImportItems, toStoredColumns } from './import-items.ts';
import type { FieldWrite, RowWork } from './stored-values.ts';

const NAME = 1;
const PARENT = 3;

const makePlan = (
  row: number,
  items: readonly FieldWrite[],
  { id, before = {} }: { id?: number; before?: RowWork['before'] } = {},
): ImportRowPlan<RowWork> => ({
  row,
  outcome: id === undefined ? 'create' : 'update',
  id,
  name: `Row ${row}`,
  detail: '',
  changes: [],
  errors: [],
  work: { items, before, ignoreNearDups: false },
});
const makeNode = (row: number, parents: readonly number[], rowOrder: FieldWrite['rowOrder'] = 'later') =>
  makePlan(row, [
    { fieldId: NAME, value: `Row ${row}` },
    ...(parents.length > 0
      ? [{ fieldId: PARENT, value: parents.map((parent) => -parent), ...(rowOrder && { rowOrder }) }]
      : []),
  ]);
const parse = (items: readonly EntryImportRow[]) => items.map((item) => zEntryImportRow.parse(item));
const getParents = ({ values }: EntryImportRow): number[] =>
  [values.find(({ fieldId }) => fieldId === PARENT)?.value ?? []]
    .flat()
    .flatMap((value) => (typeof value === 'number' ? value : []));

test('keeps the cells of the file if they are wanted and not too long, without characters that the service refuses', () => {
  const plans = [
    { ...makePlan(2, [{ fieldId: NAME, value: 'One' }]), cells: ['One', '=1+1'] },
    { ...makePlan(3, [{ fieldId: NAME, value: 'Two' }]), cells: ['x'.repeat(1_000_000), 'y'] },
    { ...makePlan(4, [{ fieldId: NAME, value: 'Three' }]), cells: ['Three', 'a\0b\ud800'] },
  ];
  expect(parse(toImportItems(plans, true)).map(({ cells }) => cells)).toEqual([
    ['One', '=1+1'],
    undefined,
    ['Three', 'a\ufffdb\ufffd'],
  ]);
  expect(parse(toImportItems(plans)).map(({ cells }) => cells)).toEqual([undefined, undefined, undefined]);
  expect(toStoredColumns(['Name', 'a\0'])).toEqual(['Name', 'a\ufffd']);
  expect(toStoredColumns(['Name', 'Score'])).toEqual(['Name', 'Score']);
  expect(toStoredColumns(['x'.repeat(1_001)])).toBeUndefined();
});

test('sends values of every kind, and with changes what the review read', () => {
  const plan = makePlan(
    4,
    [
      { fieldId: 5, value: -7 },
      { fieldId: 6, value: 12.5, currencyCode: 'EUR' },
      { fieldId: 7, value: null },
      { fieldId: 8, value: [1, 2] },
    ],
    { id: 9, before: { 6: { value: 3, currencyCode: 'USD' }, 7: 'old', 8: [3] } },
  );
  expect(parse(toImportItems([plan]))).toEqual([
    {
      row: 4,
      entryId: 9,
      values: [
        { fieldId: 5, value: -7 },
        { fieldId: 6, value: 12.5, currencyCode: 'EUR' },
        { fieldId: 7, value: null },
        { fieldId: 8, value: [1, 2] },
      ],
      expected: [
        { fieldId: 5, value: null },
        { fieldId: 6, value: 3, currencyCode: 'USD' },
        { fieldId: 7, value: 'old' },
        { fieldId: 8, value: [3] },
      ],
    },
  ]);
});

test('rows come after those that they refer to, and circles are closed by second items', () => {
  const items = parse(
    toImportItems([
      makeNode(2, [4]),
      makeNode(3, []),
      makeNode(4, [3]),
      makeNode(5, [6]),
      makeNode(6, [5]),
      makeNode(7, [7]),
    ]),
  );
  expect(items.map(({ row, ofItem }) => [row, ofItem])).toEqual([
    [3, undefined],
    [4, undefined],
    [2, undefined],
    [5, undefined],
    [6, undefined],
    [7, undefined],
    [5, 4],
    [7, 6],
  ]);
  expect(items.map(getParents)).toEqual([[], [-1], [-2], [], [-4], [], [-5], [-6]]);
});

test('every reference names an earlier item, whatever refers to what, and nothing is lost', () => {
  const graph = fc
    .integer({ min: 1, max: 12 })
    .chain((length) =>
      fc.array(
        fc.record({ parents: fc.uniqueArray(fc.nat(length - 1), { maxLength: 3 }), isFirst: fc.boolean() }),
        { minLength: length, maxLength: length },
      ),
    );
  fc.assert(
    fc.property(graph, (nodes) => {
      // Required references have no circles: the check of the file refuses them.
      const plans = nodes.map(({ parents, isFirst }, at) =>
        makeNode(
          at + 2,
          (isFirst ? parents.filter((parent) => parent < at) : parents).map((parent) => parent + 2),
          isFirst ? 'first' : 'later',
        ),
      );
      const items = parse(toImportItems(plans));
      const rowOf = (number: number) => items[number - 1]?.row;
      const found = new Map<number, number[]>();
      for (const [index, item] of items.entries()) {
        for (const parent of getParents(item)) expect(-parent).toBeLessThan(index + 1);
        expect(rowOf(item.ofItem ?? index + 1)).toBe(item.row);
        const rows = getParents(item).map((parent) => rowOf(-parent) ?? 0);
        found.set(item.row, [...(found.get(item.row) ?? []), ...rows]);
      }
      for (const { row, work } of plans) {
        const parents = work.items.flatMap(({ fieldId, value }) =>
          fieldId === PARENT ? [value].flat() : [],
        );
        expect(found.get(row)).toEqual(parents.map((parent) => -Number(parent)));
      }
    }),
  );
});

test('a chain as long as a file is ordered', () => {
  const length = 100_000;
  const items = toImportItems(
    Array.from({ length }, (_, at) => makeNode(at + 2, at + 1 < length ? [at + 3] : [])),
  );
  expect([items.length, items[0]?.row, items.at(-1)?.row]).toEqual([length, length + 1, 2]);
});
