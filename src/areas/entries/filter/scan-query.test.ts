import { expect, it } from 'vitest';
import { filterOperations } from '../../../../contract/rules/schema/fields.ts';
import { createField } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import { applyCompletion, getCompletions } from './completions.ts';
import { parseFilter } from './draft.ts';
import { OPERATOR_HELP } from './operators.ts';
import { isAfterColon, getLineAndColumn, getErrorRange, scanQueryText } from './scan-query.ts';

const choiceValues = [
  { id: 4, name: 'Won', seqNumber: 0 },
  { id: 5, name: 'Lost', seqNumber: 1 },
];
const fields = buildSchema(
  [],
  [
    createField(1, 'Name', 1),
    createField(2, 'City', 1),
    createField(3, 'Stage', 2, { choiceValues }),
    createField(4, 'Active', 6),
    createField(5, 'Size', 3),
  ],
).getFields(1);

/** Labels of the completions at the bar. */
const complete = (marked: string) => {
  const { context } = scanQueryText(marked.replace('|', ''), marked.indexOf('|'));
  return context ? getCompletions(context, fields).map(({ label }) => label) : undefined;
};

it('suggests fields and groups for a key', () => {
  expect(complete('{|')).toEqual(['Name', 'City', 'Stage', 'Active', 'Size', 'EntryId', '$or', '$and']);
  expect(complete('{ci|')).toEqual(['City']);
  expect(complete('{"ci|')).toEqual(['City']);
  expect(complete('{City: "Oslo", |}')).toContain('Stage');
  expect(complete('{$or: [{|}]}')).toContain('Name');
  expect(complete('{City: {$in: ["a"]}, s|')).toEqual(expect.arrayContaining(['Stage', 'Size']));
});

it('suggests the operators of the field', () => {
  expect(complete('{City: {$con|')).toEqual(['$contains']);
  expect(complete('{Active: {|}}')).toEqual(['$eq', '$not']);
  expect(complete('{EntryId: {$g|}}')).toEqual(['$gt', '$gte']);
  expect(complete('{$and: [{Size: {$b|')).toEqual(['$between']);
  expect(complete('{Nothing: {|}}')).toEqual([]);
});

it('suggests choices by name, true and false, and the no-data markers', () => {
  expect(complete('{Stage: wo|}')).toEqual(['Won']);
  expect(complete('{Stage: {$in: [4, |]}}')).toEqual(['Won', 'Lost']);
  expect(complete('{Active: |}')).toEqual(['true', 'false', '$noData', '$notNoData', '$eq', '$not']);
  expect(complete('{City: "$no|"}')).toEqual(['$noData', '$notNoData', '$not']);
});

it('suggests nothing where no key or value can start', () => {
  expect(complete('{City: "Oslo" |')).toBeUndefined();
  expect(complete('{City |')).toBeUndefined();
  expect(complete('{City: "Oslo"}|')).toBeUndefined();
});

it('replaces the typed text by the completion', () => {
  const text = '{"ci": "Oslo"}';
  const { context } = scanQueryText(text, 4);
  const [option] = context ? getCompletions(context, fields) : [];
  expect(context && option && applyCompletion(text, context, option)).toEqual({
    text: '{City: "Oslo"}',
    caret: 5,
  });
  const partial = scanQueryText('{Stage: Wo', 10).context;
  const [choice] = partial ? getCompletions(partial, fields) : [];
  expect(partial && choice && applyCompletion('{Stage: Wo', partial, choice)).toEqual({
    text: '{Stage: 4',
    caret: 9,
  });
});

const locateError = (text: string) => {
  const [error] = parseFilter(text, fields).errors ?? [];
  if (!error) return undefined;
  const range = getErrorRange(text, error);
  return [text.slice(range.from, range.to), getLineAndColumn(text, range)];
};

it('detects the colon inserted by a completion', () => {
  expect(isAfterColon('{City: ', 7)).toBe(true);
  expect(isAfterColon('{City', 5)).toBe(false);
  expect(isAfterColon('{City: "http:', 13)).toBe(false);
});

it('locates errors', () => {
  expect(locateError('{City: 1,\n Nam: "x"}')).toEqual(['City', { line: 1, column: 2 }]);
  expect(locateError('{City: "a",\n Nam: "x"}')).toEqual(['Nam', { line: 2, column: 2 }]);
  expect(locateError('{$or: [{City: "a"}, {Size: {$gt: "x"}}]}')?.[0]).toBe('$gt');
  expect(locateError('{Size: {$in: [1, "x"]}}')?.[0]).toBe('"x"');
  expect(locateError('{City: "a",\n Size: ]}')).toEqual([']', { line: 2, column: 8 }]);
});

it('scans any text without throwing', () => {
  for (const text of ['', '{', '}}', '[', '"', "{'", '{a:{b:[{c', '/*', '{//', ':::', ',,,', '{a b c']) {
    for (let caret = 0; caret <= text.length; caret += 1)
      expect(() => scanQueryText(text, caret)).not.toThrow();
  }
});

it('documents every operation', () => {
  const documented = OPERATOR_HELP.flatMap(({ operator }) => operator.replaceAll('"', '').split(' '));
  for (const { rowOperator } of filterOperations) expect(documented).toContain(rowOperator);
});
