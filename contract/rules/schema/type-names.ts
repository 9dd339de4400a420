/**
 * Words that cannot be the apiName of an entry type, in lower case: in the paths of the data operations they stand where a type is
 * named, so that requests for such a type would reach another operation (spec 4.4: `/entrydata/get`).
 */
export const RESERVED_TYPE_NAMES: ReadonlySet<string> = new Set([
  'allentrieshistory',
  'changes',
  'get',
  'gethistoricaldata',
  'merge',
  'rows',
]);

/** Whether an entry type may have this apiName, without regard to case like all names in paths. */
export const isReservedTypeName = (apiName: string): boolean =>
  RESERVED_TYPE_NAMES.has(apiName.toLowerCase());
