import { expect, it } from 'vitest';
import { filterOperations } from '../../../../contract/rules/fields.ts';
import { schemaOf } from '../model/schema.ts';
import { completed, completionsAt } from './completions.ts';
import { OPERATOR_HELP } from './operators.ts';
import { readSaid } from './query.ts';
import { isPastColon, lineOf, rangeOf, scan } from './scan.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';

const field = (id: number, apiName: string, fieldType: number, more: object = {}) => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType,
  ...PLAIN_FIELD,
  isKey: id === 1,
  ...more,
});
const choiceValues = [
  { id: 4, name: 'Won', seqNumber: 0 },
  { id: 5, name: 'Lost', seqNumber: 1 },
];
const fields = schemaOf(
  [],
  [
    field(1, 'Name', 1),
    field(2, 'City', 1),
    field(3, 'Stage', 2, { choiceValues }),
    field(4, 'Active', 6),
    field(5, 'Size', 3),
  ],
).fieldsOf(1);

/** What is offered where the bar stands. */
const offered = (marked: string) => {
  const { spot } = scan(marked.replace('|', ''), marked.indexOf('|'));
  return spot ? completionsAt(spot, fields).map(({ label }) => label) : undefined;
};

it('offers fields and groups where a name stands', () => {
  expect(offered('{|')).toEqual(['Name', 'City', 'Stage', 'Active', 'Size', 'EntryId', '$or', '$and']);
  expect(offered('{ci|')).toEqual(['City']);
  expect(offered('{"ci|')).toEqual(['City']);
  expect(offered('{City: "Oslo", |}')).toContain('Stage');
  expect(offered('{$or: [{|}]}')).toContain('Name');
  expect(offered('{City: {$in: ["a"]}, s|')).toEqual(expect.arrayContaining(['Stage', 'Size']));
});

it('offers the operators that the field takes', () => {
  expect(offered('{City: {$con|')).toEqual(['$contains']);
  expect(offered('{Active: {|}}')).toEqual(['$eq', '$not']);
  expect(offered('{EntryId: {$g|}}')).toEqual(['$gt', '$gte']);
  expect(offered('{$and: [{Size: {$b|')).toEqual(['$between']);
  expect(offered('{Nothing: {|}}')).toEqual([]);
});

it('offers choices by their names, yes and no, and the markers of no data', () => {
  expect(offered('{Stage: wo|}')).toEqual(['Won']);
  expect(offered('{Stage: {$in: [4, |]}}')).toEqual(['Won', 'Lost']);
  expect(offered('{Active: |}')).toEqual(['true', 'false', '$noData', '$notNoData', '$eq', '$not']);
  expect(offered('{City: "$no|"}')).toEqual(['$noData', '$notNoData', '$not']);
});

it('offers nothing where nothing new can stand', () => {
  expect(offered('{City: "Oslo" |')).toBeUndefined();
  expect(offered('{City |')).toBeUndefined();
  expect(offered('{City: "Oslo"}|')).toBeUndefined();
});

it('puts a completion in the place of what was typed', () => {
  const text = '{"ci": "Oslo"}';
  const { spot } = scan(text, 4);
  const [option] = spot ? completionsAt(spot, fields) : [];
  expect(spot && option && completed(text, spot, option)).toEqual({ text: '{City: "Oslo"}', caret: 5 });
  const begun = scan('{Stage: Wo', 10).spot;
  const [won] = begun ? completionsAt(begun, fields) : [];
  expect(begun && won && completed('{Stage: Wo', begun, won)).toEqual({ text: '{Stage: 4', caret: 9 });
});

const placeOf = (text: string) => {
  const [fault] = readSaid(text, fields).faults ?? [];
  if (!fault) return undefined;
  const range = rangeOf(text, fault);
  return [text.slice(range.from, range.to), lineOf(text, range)];
};

it('knows the colon that a completion brought', () => {
  expect(isPastColon('{City: ', 7)).toBe(true);
  expect(isPastColon('{City', 5)).toBe(false);
  expect(isPastColon('{City: "http:', 13)).toBe(false);
});

it('says where a fault is', () => {
  expect(placeOf('{City: 1,\n Nam: "x"}')).toEqual(['City', { line: 1, column: 2 }]);
  expect(placeOf('{City: "a",\n Nam: "x"}')).toEqual(['Nam', { line: 2, column: 2 }]);
  expect(placeOf('{$or: [{City: "a"}, {Size: {$gt: "x"}}]}')?.[0]).toBe('$gt');
  expect(placeOf('{Size: {$in: [1, "x"]}}')?.[0]).toBe('"x"');
  expect(placeOf('{City: "a",\n Size: ]}')).toEqual([']', { line: 2, column: 8 }]);
});

it('reads any text without end or fault', () => {
  for (const text of ['', '{', '}}', '[', '"', "{'", '{a:{b:[{c', '/*', '{//', ':::', ',,,', '{a b c']) {
    for (let caret = 0; caret <= text.length; caret += 1) expect(() => scan(text, caret)).not.toThrow();
  }
});

it('explains every operation', () => {
  const explained = OPERATOR_HELP.flatMap(({ operator }) => operator.replaceAll('"', '').split(' '));
  for (const { rowOperator } of filterOperations) expect(explained).toContain(rowOperator);
});
