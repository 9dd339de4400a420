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
