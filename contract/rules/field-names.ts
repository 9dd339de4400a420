/** Property names that responses and events use beside fields, and two that would allow prototype pollution, in lower case. */
const RESERVED_FIELD_NAMES: ReadonlySet<string> = new Set([
  'entryid',
  'entryname',
  'entrylistid',
  'constructor',
  'prototype',
]);

/** Whether a field may not have this apiName, without regard to case. */
export const isReservedFieldName = (apiName: string): boolean =>
  RESERVED_FIELD_NAMES.has(apiName.toLowerCase());
