export { shownDate, storedDate, type DateTimeBehavior, type Zones } from './dates.ts';
export { calculationsOf, type Calculation } from './formulas.ts';
export { schemaHandlers } from './handlers.ts';
export { holdSchema, loadSchema } from './load.store.ts';
export {
  findField,
  findType,
  type Choice,
  type EntryType,
  type NumberSlot,
  type SchemaField,
  type SiteSchema,
  type Slot,
  type TextSlot,
} from './schema.ts';
export {
  columnsOf,
  folded,
  multiValues,
  searchedText,
  slotText,
  slotValue,
  type FileValue,
  type StoredMoney,
  type StoredValue,
  type Vals,
} from './values.ts';
export { isCurrency } from './lookups.ts';
export { zonesOf } from './zones.store.ts';
