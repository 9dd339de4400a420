import { expect, it } from 'vitest';
import { FIELD } from '../../../contract/rules/fields.ts';
import { ServiceError } from '../../api/errors.ts';
import { EMPTY } from '../entries/filter/draft.ts';
import { changesOf, infoOf, onControls, valuesOf } from './field-form.ts';
import { apiNameFor } from './type-form.ts';

const blank = { ...valuesOf(undefined, new Map()), name: ' Stage ', apiName: 'Stage' };

it('sends what the type of the field asks for', () => {
  const choice = {
    ...blank,
    fieldType: FIELD.choice,
    isMoney: true,
    isDateOnly: true,
    choiceValues: [{ name: 'Won' }],
  };
  expect(infoOf(choice, [])).toMatchObject({
    name: 'Stage',
    fieldType: FIELD.choice,
    isMoney: false,
    isDateOnly: false,
    choiceValues: [{ name: 'Won' }],
    requiredWhen: null,
  });
  expect(infoOf({ ...blank, formula: ' 1 + 1 ', need: 'always', fieldType: FIELD.number }, [])).toMatchObject(
    {
      formula: '1 + 1',
      isRequired: false,
    },
  );
});

it('sends only what was changed', () => {
  const before = infoOf(blank, []);
  expect(changesOf(before, infoOf({ ...blank, description: 'x' }, []))).toEqual({ description: 'x' });
  expect(changesOf(before, infoOf({ ...blank, requiredWhen: EMPTY }, []))).toEqual({});
});

it('puts what the service says on the control that it is about', () => {
  const error = new ServiceError(400, 'No', [
    { path: 'requiredWhen.conditions.1.value', message: 'must be a day' },
    { path: 'apiName', message: 'is taken' },
    { path: 'choiceValues[3].name', message: 'is empty' },
  ]);
  expect(onControls(error).fields).toEqual([
    { path: 'requiredWhen', message: 'Number 2: must be a day' },
    { path: 'apiName', message: 'is taken' },
    { path: 'choiceValues', message: 'Number 4: is empty' },
  ]);
});

it('suggests a name for programs', () => {
  expect(apiNameFor('Deal stage')).toBe('DealStage');
  expect(apiNameFor('3 Überblick (2026)')).toBe('Uberblick2026');
});
