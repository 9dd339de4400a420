// What other areas may use of entries: the schema model, filters and saved views.
export { FieldIcon } from './model/FieldIcon.tsx';
export { ChoiceBadge } from './model/ValueView.tsx';
export { useUserNames } from './model/field-users.ts';
export { queryRows } from './model/entry-rows.ts';
export {
  findFieldUsage,
  formatFieldType,
  getFormulaInputs,
  getReferencingFields,
} from './model/field-usage.ts';
export { formatNonZero } from './model/values.ts';
export { getReferenceTypeIds, isKnownField, typesQuery, useReloadSchema, useSchema } from './model/schema.ts';
export type { Field, Schema } from './model/schema.ts';
export { useEntryType } from './model/use-entry-type.ts';
export { useTimeZone } from './model/zone.ts';
export { readStoredTargets } from './import/setup.ts';
export { buildMissingValueQuery, isComplete, toRequiredGroup } from './filter/draft.ts';
export type { QueryObject } from './filter/draft.ts';
export { FilterBuilder } from './filter/FilterBuilder.tsx';
export { IdPicker } from './filter/IdPicker.tsx';
export { formatRequiredWhen } from './filter/format-filter.ts';
export { useNameLookup } from './filter/use-name-lookup.ts';
export { getReferencedNames, toEntriesView } from './views/saved-view.ts';
export { useViews } from './views/use-views.ts';
export { formatView } from './views/view.ts';
