/** The traits of a field of which nothing special is so; a test adds what it is about. */
export const PLAIN_FIELD = {
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
