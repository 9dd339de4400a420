export { fieldJobsChore } from './chore.ts';
export { shownDate, storedDate, type DateTimeBehavior, type Zones } from './dates.ts';
export { createType } from './entry-types.ts';
export { addField } from './fields.ts';
export { calculationsOf } from './formulas.ts';
export { schemaHandlers } from './handlers.ts';
export { holdSchema, loadSchema, readBySchema } from './load.store.ts';
export { findField, findType, type EntryType, type SchemaField, type SiteSchema } from './schema.ts';
export {
  columnsOf,
  folded,
  multiValues,
  searchedText,
  slotText,
  type FileValue,
  type StoredValue,
  type Vals,
} from './values.ts';
export { isCurrency } from './lookups.ts';
export { zonesOf } from './zones.store.ts';
