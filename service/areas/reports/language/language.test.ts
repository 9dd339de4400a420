import { describe, expect, test } from 'vitest';
import { FIELD, type FieldType } from '../../../../contract/rules/schema/fields.ts';
import type { EntryType, SchemaField, SiteSchema } from '../../schema/index.ts';
import { checkDocument, type MarkedText } from './check.ts';
import { evaluateText, findMarks, holds, parsePlaceholder } from './placeholder.ts';
import type { ReportRecord, ReportValue } from './values.ts';

const text = (value: string): ReportValue => ({ kind: 'text', text: value });
const RECORD: ReportRecord = {
  name: text('Acme'),
  founded: { kind: 'day', day: '1850-03-01' },
  seen: { kind: 'moment', at: '2026-03-01T23:30:00.000Z' },
  price: { kind: 'money', value: 1234.5, currency: 'EUR' },
  score: { kind: 'number', value: 0.125 },
  share: { kind: 'number', value: 0.285 },
  active: { kind: 'boolean', value: false },
  tags: { kind: 'list', items: [text('Red'), text('Blue')] },
};

function show(source: string, record = RECORD): string {
  const { placeholder, fault } = parsePlaceholder(source);
  if (placeholder?.kind !== 'value') throw new Error(fault?.message ?? `${source} shows no value`);
  return evaluateText(placeholder, record, { timeZone: 'Europe/Berlin' });
}

test.each([
  ['Name', 'Acme'],
  [' name | upper ', 'ACME'],
  ['Company.Name', ''],
  ['Founded', '1850-03-01'],
  ["Founded | date:'d MMM yyyy'", '1 Mar 1850'],
  // Word replaces straight quotes while the author types.
  ['Founded | date:‘EEEE, d MMMM yy’', 'Friday, 1 March 50'],
  ["Seen | date:'yyyy-MM-dd HH:mm a'", '2026-03-02 00:30 AM'],
  ['Price', '1,234.50 EUR'],
  ['Price | money:0', '1,235 EUR'],
  ['Price | number', '1,234.5'],
  ['Score | percent:1', '12.5%'],
  ['Share | percent:0', '29%'],
  ["Active | yesno:'on, | really','off'", 'off'],
  ['Tags', 'Red, Blue'],
  ["Tags | upper | join:' / '", 'RED / BLUE'],
  ["Missing | default:'–'", '–'],
  // Names of properties of objects are names like others.
  ['constructor', ''],
  ['__proto__', ''],
])('{%s} shows %s', (source, shown) => {
  expect(show(source)).toBe(shown);
});

test.each([
  ['', 'invalid-placeholder'],
  ['Name.toString()', 'invalid-placeholder'],
  ['Company.Parent.Name', 'invalid-placeholder'],
  ['1 + 1', 'invalid-placeholder'],
  ['@raw', 'invalid-placeholder'],
  ['#each Name', 'invalid-placeholder'],
  ['=[[ ]]=', 'invalid-placeholder'],
  ['Name | shout', 'unknown-format'],
  ["Founded | date:'wrong'", 'wrong-format'],
  ['Founded | date', 'wrong-format'],
  ['Score | number:99', 'wrong-format'],
])('{%s} is refused: %s', (source, code) => {
  expect(parsePlaceholder(source).fault?.code).toBe(code);
});

const evaluate = (source: string) => {
  const { placeholder } = parsePlaceholder(source);
  return placeholder?.kind === 'if' && holds(placeholder, RECORD);
};

test('conditions: a value other than No, 0 and an empty list', () => {
  expect(
    ['#if Name', '#if Active', '#if not Active', '#if Missing', '#if not Missing'].map(evaluate),
  ).toEqual([true, false, true, false, true]);
});

test('braces without the other one are found', () => {
  expect(findMarks('a {Name} b } c {Note {Last} {')).toEqual([
    { offset: 2, length: 6, text: '{Name}' },
    { offset: 11, length: 1, text: '}', fault: 'missing-start' },
    { offset: 15, length: 6, text: '{Note ', fault: 'missing-end' },
    { offset: 21, length: 6, text: '{Last}' },
    { offset: 28, length: 1, text: '{', fault: 'missing-end' },
  ]);
});

const makeField = (
  id: number,
  apiName: string,
  fieldType: FieldType,
  more: Partial<SchemaField> = {},
): SchemaField => ({
  id,
  typeId: 1,
  apiName,
  name: `The ${apiName}`,
  description: null,
  fieldType,
  isRequired: false,
  requiredWhen: null,
  isMoney: false,
  isMultiSelect: false,
  isKey: false,
  isSearchable: false,
  isDateOnly: false,
  isOnEntryForm: true,
  formula: null,
  formulaMaxLength: null,
  isCalculated: false,
  isStoreRequestSupported: true,
  entryLists: [],
  choices: new Map(),
  slot: null,
  isSlotReady: false,
  isSearchReady: false,
  version: 1,
  ...more,
});

function makeType(id: number, apiName: string, fields: readonly SchemaField[]): EntryType {
  const [keyField] = fields;
  if (!keyField) throw new Error('A type has a key field');
  const fieldsByName = new Map(fields.map((field) => [field.apiName.toLowerCase(), field]));
  return {
    id,
    apiName,
    icon: 'table',
    singularName: apiName,
    pluralName: `${apiName}s`,
    version: 1,
    fields,
    fieldsByName,
    keyField,
  };
}

const company = makeType(1, 'Company', [makeField(1, 'Name', FIELD.text), makeField(2, 'City', FIELD.text)]);
const deal = makeType(2, 'Deal', [
  makeField(11, 'Title', FIELD.text, { typeId: 2 }),
  makeField(12, 'Company', FIELD.reference, { typeId: 2, entryLists: [1] }),
  makeField(13, 'Closed', FIELD.date, { typeId: 2, isDateOnly: true }),
  makeField(14, 'Seal', FIELD.image, { typeId: 2 }),
]);
const types = [company, deal];
const schema: SiteSchema = {
  siteId: 1,
  version: 1,
  types,
  typesById: new Map(types.map((type) => [type.id, type])),
  typesByName: new Map(types.map((type) => [type.apiName.toLowerCase(), type])),
  fieldsById: new Map(types.flatMap(({ fields }) => fields.map((field) => [field.id, field] as const))),
};

const place = (source: string, more: Partial<MarkedText> = {}): MarkedText => ({
  part: 'Document',
  partKind: 'document',
  place: 'paragraph 1',
  parent: 1,
  row: null,
  marks: findMarks(source),
  ...more,
});
const check = (...texts: MarkedText[]) => checkDocument({ texts, faults: [] }, schema, deal);

describe('the check against the schema', () => {
  test.each([
    ['{Titel | upper}', 'unknown-field', '{Title | upper}'],
    ['{the closed}', 'invalid-placeholder', null],
    ['{Company.Ctiy}', 'unknown-field', '{Company.City}'],
    ['{Compnay.City}', 'unknown-field', '{Company.City}'],
    ['{Title.City}', 'unknown-field', '{Title}'],
    ['{$dat}', 'unknown-field', '{$date}'],
    ['{Zzz}', 'unknown-field', null],
    ['{Title | uper}', 'unknown-format', '{Title | upper}'],
    ["{Title | date:'d'}", 'wrong-format', null],
    ["{Closed | date:'d' | date:'d'}", 'wrong-format', null],
    ['{#if Titel}x{/if}', 'unknown-field', '{#if Title}'],
    ['{#if Title}', 'missing-end', null],
    ['{/if}', 'missing-start', null],
  ])('%s: %s, nearest %s', (source, code, suggestion) => {
    const [finding] = check(place(`Deal ${source}`)).findings;
    expect(finding).toMatchObject({ code, suggestion, part: 'Document', place: 'paragraph 1', offset: 5 });
  });

  test('finds fields and where they come from, and nothing wrong', () => {
    const result = check(
      place("{Title} {company.city | upper} {Closed | date:'d MMM yyyy' | default:'open'} {$date} {EntryId}"),
    );
    expect(result.findings).toEqual([]);
    expect(result.fields.map(({ path, field, via }) => [path, field.id, via?.id])).toEqual([
      ['Title', 11, undefined],
      ['Company.City', 2, 12],
      ['Closed', 13, undefined],
    ]);
  });

  test('pairs stay within a paragraph, a table row or one parent; fields of lists within rows', () => {
    const row = (source: string, number: number, parent: number) => place(source, { row: number, parent });
    expect(check(row('{#rows}{Title}', 5, 6), row('{Closed}{/rows}', 5, 7)).findings).toEqual([]);
    expect(check(place('{#if Title}'), place('{Title}'), place('{/if}')).findings).toEqual([]);
    expect(check(row('{#rows}', 5, 6), row('{/rows}', 8, 9)).findings).toMatchObject([
      { code: 'wrong-place' },
    ]);
    expect(check(place('{Title}'), row('{#rows}{Title}{/rows} {$count}', 5, 6)).findings).toMatchObject([
      { code: 'wrong-place', placeholder: '{Title}', offset: 0 },
    ]);
    expect(check(place('{#if $count}{#rows}{/rows}{/if}')).findings).toMatchObject([
      { code: 'wrong-place', placeholder: '{#rows}' },
    ]);
    const header = place('{#rows}{/rows}', { part: 'Header 1', partKind: 'header' });
    expect(check(header).findings).toMatchObject([{ code: 'wrong-place', part: 'Header 1' }]);
    const cells = ['{#if Title}', '{/if}'].map((source) => place(source, { partKind: 'sheet', row: 3 }));
    expect(check(...cells).findings).toMatchObject([{ code: 'wrong-place' }]);
  });

  test('a picture shows the images of an image field, without formats', () => {
    const picture = (source: string) =>
      place(source, { marks: findMarks(source).map((mark) => ({ ...mark, isPicture: true })) });
    expect(check(picture('{Seal}'), place('{Title}')).findings).toEqual([]);
    expect(check(picture('{Seal}'), place('{Seal}')).fields).toMatchObject([
      { path: 'Seal', isPicture: true },
    ]);
    for (const source of ['{Title}', '{Company.Name}', '{$user}', '{Seal | upper}'])
      expect(check(picture(source)).findings).toMatchObject([{ code: 'wrong-format', placeholder: source }]);
    expect(check(picture('{Seel}')).findings).toMatchObject([{ suggestion: '{Seal}' }]);
  });

  test('a field in a header is shared by all entries of a document', () => {
    expect(check(place('{Title}', { part: 'Header 1', partKind: 'header' })).hasSharedFields).toBe(true);
    expect(check(place('{$date}', { part: 'Header 1', partKind: 'header' })).hasSharedFields).toBe(false);
  });
});
