import {
  array,
  assert,
  boolean,
  constantFrom,
  float,
  integer,
  letrec,
  oneof,
  property,
  string,
} from 'fast-check';
import { expect, it, test } from 'vitest';
import { FIELD, filterOperations } from '../../../../contract/rules/fields.ts';
import { readQuery } from '../../../../contract/rules/query/read.ts';
import { EVERYTHING } from '../../../../contract/rules/query/tree.ts';
import type { Field } from '../model/schema.ts';
import { EMPTY, changed, toDraft, toQuery } from './draft.ts';
import type { Group, Node, Rule } from './draft.ts';
import { operatorsFor } from './operators.ts';
import { curlOf, readSaid, withSearch, written } from './query.ts';
import { nodeWords, requiredWords, ruleParts } from './words.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';

const field = (
  id: number,
  apiName: string,
  fieldType: Field['fieldType'],
  more: Partial<Field> = {},
): Field => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType,
  ...PLAIN_FIELD,
  ...more,
});
const stage = field(2, 'Stage', FIELD.choice, { choiceValues: [{ id: 4, name: 'Won', seqNumber: 1 }] });
const fields = [
  field(1, 'Name', FIELD.text, { isKey: true }),
  stage,
  field(3, 'Founded', FIELD.number),
  field(4, 'Added', FIELD.date, { isDateOnly: true }),
  field(5, 'Active', FIELD.boolean),
];
const rule = (name: string, operator: string, ...operands: Rule['operands']): Rule => ({
  kind: 'rule',
  field: name,
  operator,
  operands,
});
const group = (match: Group['match'], ...of: Node[]): Group => ({ kind: 'group', match, of });
const drafted = (query: object): Group => {
  const { condition } = readSaid({ ...query }, fields);
  return condition ? toDraft(condition) : EMPTY;
};

test.each<[string, Group, object | undefined]>([
  ['nothing', EMPTY, undefined],
  ['a bare value', group('all', rule('Name', '$eq', 'Hafen')), { Name: 'Hafen' }],
  ['no data', group('all', rule('Name', '$noData')), { Name: '$noData' }],
  ['the marker as a text', group('all', rule('Name', '$eq', '$noData')), { Name: { $in: ['$noData'] } }],
  ['not the marker', group('all', rule('Name', '$not', '$NODATA')), { Name: { $nin: ['$NODATA'] } }],
  [
    'several fields in one object',
    group('all', rule('Stage', '$in', 4, 5), rule('Founded', '$gte', 1990)),
    { Stage: { $in: [4, 5] }, Founded: { $gte: 1990 } },
  ],
  [
    'a field twice in a list',
    group('all', rule('Founded', '$gt', 1), rule('Founded', '$lt', 9)),
    { $and: [{ Founded: { $gt: 1 } }, { Founded: { $lt: 9 } }] },
  ],
  [
    'groups within groups',
    group('any', rule('Active', '$eq', true), group('all', rule('Stage', '$eq', 4), rule('Name', '$noData'))),
    { $or: [{ Active: true }, { Stage: 4, Name: '$noData' }] },
  ],
  [
    'what is not complete is left out',
    group('all', rule('Founded', '$between', 1), rule('Name', '$eq', '')),
    undefined,
  ],
  [
    'a list without the line that is still empty',
    group('all', rule('Founded', '$in', 1990, '')),
    { Founded: { $in: [1990] } },
  ],
])('writes %s', (_name, draft, query) => {
  expect(toQuery(draft)).toEqual(query);
});

const operandOf: Partial<Record<number, () => ReturnType<typeof string> | ReturnType<typeof integer>>> = {
  [FIELD.text]: () => string({ minLength: 1 }).filter((text) => !text.includes('\0')),
  [FIELD.choice]: () => integer({ min: 1, max: 99 }),
};
const ruleOf = constantFrom(...fields).chain((asked) =>
  constantFrom(...operatorsFor(asked.fieldType)).chain((operation) => {
    const one =
      asked.fieldType === FIELD.number
        ? float({ noNaN: true, noDefaultInfinity: true })
        : asked.fieldType === FIELD.date
          ? constantFrom('2026-03-01', '1999-12-31')
          : asked.fieldType === FIELD.boolean
            ? boolean()
            : (operandOf[asked.fieldType]?.() ?? integer());
    const size = { none: 0, one: 1, pair: 2, several: 3 }[operation.operand];
    return array<string | number | boolean>(one, { minLength: size, maxLength: size }).map((operands) =>
      rule(asked.apiName, operation.rowOperator, ...operands),
    );
  }),
);
const { node } = letrec<{ node: Node }>((tie) => ({
  node: oneof(
    { maxDepth: 3 },
    ruleOf,
    array(tie('node'), { minLength: 1, maxLength: 3 }).chain((of) =>
      constantFrom<Group['match']>('all', 'any').map((match) => group(match, ...of)),
    ),
  ),
}));

const find = (name: string) => fields.find(({ apiName }) => apiName === name);

it('writes what the service reads, and the same again after reading it', () => {
  assert(
    property(node, (one) => {
      const query = toQuery(group('all', one));
      const { condition = EVERYTHING, faults } = readQuery(query ?? {}, find);
      expect(faults).toBeUndefined();
      expect(toQuery(toDraft(condition))).toEqual(query);
    }),
  );
});

it('changes the node at a place alone', () => {
  const draft = group(
    'all',
    rule('Name', '$eq', 'a'),
    group('any', rule('Stage', '$eq', 4), rule('Stage', '$eq', 5)),
  );
  expect(changed(draft, [1, 0], undefined)).toEqual(
    group('all', draft.of[0] ?? EMPTY, group('any', rule('Stage', '$eq', 5))),
  );
  expect(changed(draft, [], group('any'))).toEqual(group('any'));
});

it('joins the search over the names with the filter', () => {
  const key = fields[0];
  expect(withSearch(undefined, ' a ', key)).toEqual({ Name: { $contains: 'a' } });
  expect(withSearch({ Stage: 4 }, 'a', key)).toEqual({ $and: [{ Name: { $contains: 'a' } }, { Stage: 4 }] });
  expect(withSearch({ Stage: 4 }, '  ', key)).toEqual({ Stage: 4 });
});

it('reads JSON5, and tells every fault of a text with its place', () => {
  expect(readSaid("{name: 'x'}", fields).condition).toBeDefined();
  expect(readSaid('{Nope: 1, Founded: "x"}', fields).faults?.map(({ path }) => path)).toEqual([
    'query.Nope',
    'query.Founded',
  ]);
  expect(written({ Stage: 4 })).toBe('{"Stage":4}');
});

it('says a filter in words', () => {
  const words = (query: object) =>
    nodeWords(drafted(query), fields, (asked, id) => (asked === stage && id === 4 ? 'Won' : undefined));
  expect(words({ Stage: { $in: [4, 9] } })).toBe('Stage is one of Won or #9');
  expect(words({ $or: [{ Active: true }, { Name: 'x', Founded: { $between: [1, 2] } }] })).toBe(
    'Active is yes or (Name is “x” and Founded is between 1 and 2)',
  );
  const rules = {
    match: 'any' as const,
    conditions: [
      { fieldId: 2, operation: 0, value: 4 },
      { fieldId: 3, operation: 12 },
    ],
  };
  expect(requiredWords(rules, new Map(fields.map((one) => [one.id, one])))).toBe(
    'Stage is Won or Founded has no data',
  );
});

const parts = (one: Rule) =>
  ruleParts(one, fields, (asked, id) => (asked === stage && id === 4 ? 'Won' : undefined));

it('says a condition in the parts of a chip, many values by the first of them', () => {
  expect(parts(rule('Stage', '$in', 4, 9, 10))).toEqual({
    field: 'Stage',
    operator: 'is one of',
    value: 'Won +2',
  });
  expect(parts(rule('Founded', '$between', 1, 2)).value).toBe('1 and 2');
  expect(parts(rule('Stage', '$noData', 4))).toMatchObject({ operator: 'has no data', value: '' });
});

it('writes a long query in lines, and the values of a list in one', () => {
  const ids = Array.from({ length: 40 }, (_, at) => at);
  expect(written({ Stage: { $in: ids }, $or: [{ Name: 'x'.repeat(40) }] })).toBe(
    `{\n  "Stage": {\n    "$in": ${JSON.stringify(ids)}\n  },\n  "$or": [{"Name":"${'x'.repeat(40)}"}]\n}`,
  );
});

it('has words for every operation', () => {
  for (const { rowOperator } of filterOperations)
    expect(nodeWords(rule('Name', rowOperator, 'x', 'y'), fields, () => undefined)).not.toContain('$');
});

it('quotes a request for the shell', () => {
  expect(curlOf('https://here', 'Company', { query: { Name: "O'Hara" } })).toContain(
    String.raw`{"query":{"Name":"O'\''Hara"}}`,
  );
});
