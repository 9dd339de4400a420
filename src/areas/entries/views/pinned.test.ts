import { expect, it } from 'vitest';
import type { SavedView } from '../../../../contract/generated/types.gen.ts';
import { filterOperations } from '../../../../contract/rules/schema/fields.ts';
import { zPinnedFilter } from '../../../api/generated/zod.gen.ts';
import { parseFilter, toFilterDraft, toQueryObject } from '../filter/draft.ts';
import type { QueryObject } from '../filter/draft.ts';
import { createField } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import { addCondition, findPinnedConditions, listClauses, togglePin } from './pinned.ts';

const fields = buildSchema(
  [],
  [createField(1, 'Name'), createField(2, 'Done', 6), createField(3, 'Size', 3), createField(4, 'Stage', 2)],
).getFields(1);
const toDraft = (query: QueryObject) => toFilterDraft(parseFilter(query, fields).condition);

const pinned: SavedView['pinned'] = [
  { field: 'size', operator: '$gte' },
  { field: 'Gone', operator: '$eq' },
  { field: 'Size', operator: '$contains' },
  { field: 'Done', operator: '$eq' },
];

it('finds the conditions of pinned filters; those of deleted fields are left out, others wait for a value', () => {
  const found = findPinnedConditions(pinned, toDraft({ Name: 'A', Size: { $gte: 30 } }), fields);
  expect(found.map(({ key, index, comparison }) => [key, index, comparison.operands])).toEqual([
    ['size $gte', 1, [30]],
    ['done $eq', undefined, [true]],
  ]);
  // A condition in a nested group is not the pinned one.
  const nested = findPinnedConditions(
    pinned,
    toDraft({ $or: [{ Size: { $gte: 1 } }, { Name: 'A' }] }),
    fields,
  );
  expect(nested.map(({ index }) => index)).toEqual([0, undefined]);
});

it('takes one and several choices for the same pinned operator, once', () => {
  const stages: SavedView['pinned'] = [
    { field: 'Stage', operator: '$in' },
    { field: 'Stage', operator: '$eq' },
  ];
  const find = (query: QueryObject) => findPinnedConditions(stages, toDraft(query), fields);
  expect(find({}).map(({ comparison }) => comparison.operation.rowOperator)).toEqual(['$eq']);
  expect(find({ Stage: { $in: [1, 2] } }).map(({ index }) => index)).toEqual([0]);
  const several = find({ Stage: { $in: [1, 2] } })[0]?.comparison;
  if (!several) throw new Error('No comparison');
  expect(togglePin(find({}), several)).toEqual([]);
});

const listIds = (pins: SavedView['pinned'], query: QueryObject) => {
  const draft = toDraft(query);
  return listClauses(draft, findPinnedConditions(pins, draft, fields)).map(({ id, index }) => [id, index]);
};

it('lists pinned filters first, with ids that stay while a condition is pinned, set, changed or cleared', () => {
  const atLeast: SavedView['pinned'] = [{ field: 'Size', operator: '$gte' }];
  expect(listIds([], { Name: 'A', Size: { $gte: 30 } })).toEqual([
    ['name 1', 0],
    ['size 1', 1],
  ]);
  expect(listIds([], { Name: 'A', Size: { $lt: 30 } })[1]).toEqual(['size 1', 1]);
  expect(listIds(atLeast, { Name: 'A', Size: { $gte: 30 } })).toEqual([
    ['size 1', 1],
    ['name 1', 0],
  ]);
  expect(listIds(atLeast, { Name: 'A', Size: { $lt: 50 } })).toEqual([
    ['size 1', undefined],
    ['name 1', 0],
    ['size 2', 1],
  ]);
});

it('adds a condition besides those that the filter joins with or', () => {
  const [pin] = findPinnedConditions(pinned, toDraft({}), fields);
  const comparison = { ...pin?.comparison, operands: [5] } as NonNullable<typeof pin>['comparison'];
  expect(toQueryObject(addCondition(toDraft({ Name: 'A' }), comparison))).toEqual({
    Name: 'A',
    Size: { $gte: 5 },
  });
  const any = { $or: [{ Name: 'A' }, { Name: 'B' }] };
  expect(toQueryObject(addCondition(toDraft(any), comparison))).toEqual({ ...any, Size: { $gte: 5 } });
});

it('pins a condition once and unpins it, without filters of deleted fields', () => {
  const draft = toDraft({ Name: { $contains: 'A' }, Size: { $gte: 30 } });
  const found = findPinnedConditions(pinned, draft, fields);
  const [name, size] = draft.conditions;
  if (name?.kind !== 'comparison' || size?.kind !== 'comparison') throw new Error('No comparison');
  expect(togglePin(found, name)).toEqual([
    { field: 'Size', operator: '$gte' },
    { field: 'Done', operator: '$eq' },
    { field: 'Name', operator: '$contains' },
  ]);
  expect(togglePin(found, size)).toEqual([{ field: 'Done', operator: '$eq' }]);
  const operators = filterOperations.map(({ rowOperator }) => rowOperator);
  expect(new Set(operators)).toEqual(new Set<string>(zPinnedFilter.shape.operator.options));
});
