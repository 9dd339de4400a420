/** Property names that responses and events use beside fields, and two that would allow prototype pollution, in lower case. */
const RESERVED_FIELD_NAMES: ReadonlySet<string> = new Set([
  'entryid',
  'entryname',
  'entrylistid',
  'constructor',
  'prototype',
]);

/**
 * True for an apiName that a field may not have, without regard to case. Rows are objects without the fields that have no data, where
 * `toString` would be the inherited method.
 */
export const isReservedFieldName = (apiName: string): boolean =>
  RESERVED_FIELD_NAMES.has(apiName.toLowerCase()) || apiName in Object.prototype;
