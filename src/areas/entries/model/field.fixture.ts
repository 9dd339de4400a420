import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { Field } from './schema.ts';

/** Properties of a plain optional field; tests override what they are about. */
export const FIELD_DEFAULTS = {
  isRequired: false,
  isMoney: false,
  isMultiSelect: false,
  isKey: false,
  isDateOnly: false,
  isSearchable: false,
  isOnEntryForm: true,
  isCalculated: false,
  isStoreRequestSupported: true,
};

/** A plain optional field, of text without a type; the first field of a type is its key. */
export const createField = (
  id: number,
  apiName: string,
  fieldType: Field['fieldType'] = FIELD.text,
  more: Partial<Field> = {},
): Field => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType,
  ...FIELD_DEFAULTS,
  isKey: id === 1,
  ...more,
});
