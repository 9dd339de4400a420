import { entryTypeHandlers } from './entry-types.ts';
import { extensionHandlers } from './extend-schema.ts';
import { fieldHandlers } from './fields.ts';
import { lookupHandlers } from './lookups.ts';

export {
  countFailures,
  deleteFailuresOfEntries,
  listAttempts,
  listParkedFields,
  MAX_RECORDED_FAILURES,
  replaceFailures,
  WHOLE_FIELD,
  type CalculationFailure,
} from './calculation-failures.store.ts';
export { formatDate, parseDate, type DateTimeBehavior, type TimeZones } from './dates.ts';
export { createEntryType, requireEntryType } from './entry-types.ts';
export { applyChange } from './field-draft.ts';
export { getCalculations } from './formulas.ts';
export { createField } from './fields.ts';
export { countChoiceUses, renewSchemaStamp } from './schema.store.ts';
export {
  getCachedSchema,
  lockSchemaShared,
  lockWithSchema,
  loadSchema,
  readWithSchema,
} from './schema-cache.store.ts';
export { listSchemaVersions, loadTypeDefinitions, type FieldDefinition } from './schema.store.ts';
export { findField, findEntryType, type EntryType, type SchemaField, type SiteSchema } from './schema.ts';
export {
  buildEntryColumns,
  foldCase,
  toMultiValues,
  toSearchText,
  toSlotText,
  type FileValue,
  type StoredValue,
  type StoredValues,
} from './values.ts';
export { isCurrency } from './lookups.ts';
export { loadTimeZones } from './lookups.store.ts';

/** Handlers of the schema operations (shapes 5). */
export const schemaHandlers = {
  ...entryTypeHandlers,
  ...fieldHandlers,
  ...extensionHandlers,
  ...lookupHandlers,
};
