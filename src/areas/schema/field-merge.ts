import type { FieldValues } from './field-form.ts';

const WORDS: Readonly<Record<keyof FieldValues, string>> = {
  name: 'the name',
  apiName: 'the API name',
  description: 'the description',
  fieldType: 'the type',
  need: 'when it is required',
  requiredWhen: 'its conditions',
  isMultiSelect: 'whether it has several values',
  isMoney: 'whether it is an amount',
  isDateOnly: 'whether it has a time of day',
  isSearchable: 'whether it is searchable',
  isOnEntryForm: 'whether it is on the entry form',
  formula: 'the formula',
  entryLists: 'what it refers to',
  choiceValues: 'its choices',
};

const isKey = (key: string): key is keyof FieldValues => key in WORDS;
const keys = Object.keys(WORDS).filter(isKey);
const differs = (a: FieldValues, b: FieldValues, key: keyof FieldValues): boolean =>
  JSON.stringify(a[key]) !== JSON.stringify(b[key]);

const list = new Intl.ListFormat('en');

/** What somebody else has changed of a field, as a clause: "the name and its choices". */
export const theirChanges = (base: FieldValues, theirs: FieldValues): string =>
  list.format(keys.filter((key) => differs(base, theirs, key)).map((key) => WORDS[key]));

/** Both changes in one: what was typed stands, what was not touched is as they have it. */
export const mergeValues = (base: FieldValues, mine: FieldValues, theirs: FieldValues): FieldValues => {
  const touched = new Set(keys.filter((key) => differs(base, mine, key)));
  const pick = <Key extends keyof FieldValues>(key: Key): FieldValues[Key] =>
    touched.has(key) ? mine[key] : theirs[key];
  return {
    name: pick('name'),
    apiName: pick('apiName'),
    description: pick('description'),
    fieldType: pick('fieldType'),
    need: pick('need'),
    requiredWhen: pick('requiredWhen'),
    isMultiSelect: pick('isMultiSelect'),
    isMoney: pick('isMoney'),
    isDateOnly: pick('isDateOnly'),
    isSearchable: pick('isSearchable'),
    isOnEntryForm: pick('isOnEntryForm'),
    formula: pick('formula'),
    entryLists: pick('entryLists'),
    choiceValues: pick('choiceValues'),
  };
};
