import { expect, it } from 'vitest';
import { MATCH_ALL } from '../../../../contract/rules/query/condition.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { ServiceError } from '../../../api/errors.ts';
import { createField } from '../../entries/model/field.fixture.ts';
import {
  fieldSchema,
  getFieldChanges,
  toFieldInfo,
  toFormError,
  toFieldValues,
  mergeValues,
  formatChangedProperties,
} from './schema-forms.ts';

const blank = { ...toFieldValues(undefined, new Map()), name: ' Stage ', apiName: 'Stage' };

it('sends the properties that apply to the field type', () => {
  const choice = {
    ...blank,
    fieldType: FIELD.choice,
    isMoney: true,
    isDateOnly: true,
    choiceValues: [{ name: 'Won' }],
  };
  expect(toFieldInfo(choice)).toMatchObject({
    name: 'Stage',
    fieldType: FIELD.choice,
    isMoney: false,
    isDateOnly: false,
    choiceValues: [{ name: 'Won' }],
    requiredWhen: null,
  });
  expect(
    toFieldInfo({ ...blank, formula: ' 1 + 1 ', requirement: 'always', fieldType: FIELD.number }),
  ).toMatchObject({
    formula: '1 + 1',
    isRequired: false,
  });
});

/** Errors of the form, as path and message. */
const validate = (values: object) =>
  fieldSchema
    .safeParse({ ...blank, ...values })
    .error?.issues.map(({ path, message }) => [path.join('.'), message]);

it('requires choices of a choice field only', () => {
  const choice = { fieldType: FIELD.choice };
  expect(validate(choice)).toEqual([['choiceValues', 'Add at least one choice']]);
  expect(validate({ ...choice, name: '' })?.map(([path]) => path)).toEqual(['name', 'choiceValues']);
  expect(validate({ ...choice, choiceValues: [{ name: 'Won' }] })).toBeUndefined();
  expect(validate({ ...choice, choiceValues: [{ name: 'x'.repeat(256) }] })).toEqual([
    ['choiceValues', 'Use at most 255 characters for a choice'],
  ]);
  expect(validate({})).toBeUndefined();
});

it('requires complete conditions where a value is required under conditions', () => {
  const city = createField(7, 'City');
  const getValues = (
    conditions: readonly { fieldId: number; operation: number; value: string | string[] | null }[],
  ) =>
    toFieldValues(
      createField(8, 'Stage', FIELD.text, { requiredWhen: { match: 'all', conditions: [...conditions] } }),
      new Map([[city.id, city]]),
    );
  const complete = { fieldId: city.id, operation: 0, value: 'Graz' };
  expect(validate(getValues([complete]))).toBeUndefined();
  const message = 'Complete or remove the conditions without a value';
  expect(validate(getValues([complete, { ...complete, value: null }]))).toEqual([['requiredWhen', message]]);
  const list = getValues([{ fieldId: city.id, operation: 7, value: ['Graz', ''] }]);
  expect(toFieldInfo(list).requiredWhen?.conditions).toMatchObject([{ value: ['Graz'] }]);
  const none = { requirement: 'when', requiredWhen: MATCH_ALL };
  expect(validate(none)).toEqual([['requiredWhen', 'Add at least one condition']]);
  // Conditions do not apply.
  expect(validate({ ...none, requirement: 'always' })).toBeUndefined();
  expect(validate({ ...none, formula: '1 + 1' })).toBeUndefined();
  expect(validate({ ...none, fieldType: FIELD.counter })).toBeUndefined();
});

it('limits the results of formulas that make texts, and sends no limit otherwise', () => {
  const text = { ...blank, formula: 'Memo & Memo', formulaMaxLength: '20000' };
  expect(toFieldInfo(text).formulaMaxLength).toBe(20_000);
  expect(toFieldInfo({ ...text, formulaMaxLength: ' 20,000 ' }).formulaMaxLength).toBe(20_000);
  expect(toFieldInfo({ ...text, formulaMaxLength: '' }).formulaMaxLength).toBeNull();
  expect(toFieldInfo({ ...text, formula: ' ' }).formulaMaxLength).toBeNull();
  expect(toFieldInfo({ ...text, fieldType: FIELD.number }).formulaMaxLength).toBeNull();
  const message = 'Enter a whole number between 1 and 1,000,000';
  for (const formulaMaxLength of ['0', '1000001', '1e3', 'many', '-5'])
    expect(validate({ ...text, formulaMaxLength })).toEqual([['formulaMaxLength', message]]);
  expect(validate({ ...text, formulaMaxLength: ' 5 ' })).toBeUndefined();
  expect(validate({ ...text, formulaMaxLength: 'many', formula: '' })).toBeUndefined();
});

it('sends only changed properties', () => {
  const before = toFieldInfo(blank);
  expect(getFieldChanges(before, toFieldInfo({ ...blank, description: 'x' }))).toEqual({ description: 'x' });
  expect(getFieldChanges(before, toFieldInfo({ ...blank, requiredWhen: MATCH_ALL }))).toEqual({});
});

it('assigns errors of the service to form controls', () => {
  const error = new ServiceError(400, 'No', [
    { path: 'requiredWhen.conditions.1.value', message: 'must be a day' },
    { path: 'apiName', message: 'is taken' },
    { path: 'choiceValues[3].name', message: 'is empty' },
  ]);
  expect(toFormError(error).fields).toEqual([
    { path: 'requiredWhen', message: 'Item 2: must be a day' },
    { path: 'apiName', message: 'is taken' },
    { path: 'choiceValues', message: 'Item 4: is empty' },
  ]);
});

it('merges the changes of two users, with own changes winning', () => {
  const base = {
    ...toFieldValues(undefined, new Map()),
    name: 'Stage',
    apiName: 'Stage',
    fieldType: 2 as const,
  };
  const mine = { ...base, name: 'Deal stage', isSearchable: true };
  const theirs = { ...base, name: 'Phase', description: 'Where it stands', choiceValues: [{ name: 'Open' }] };
  expect(formatChangedProperties(base, theirs)).toBe('the name, the description, and the choices');
  expect(mergeValues(base, mine, theirs)).toEqual({
    ...base,
    name: 'Deal stage',
    isSearchable: true,
    description: 'Where it stands',
    choiceValues: [{ name: 'Open' }],
  });
});
