/**
 * Tables of entry types, fields, entries and their history (migrations/0004_data.ts, 0009_views.ts, 0017_type_versions.ts,
 * 0018_failures.ts, 0042_publication_storage.ts, 0049_type_icons.ts).
 */
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { EntryTypeIcon } from '../../../../contract/generated/types.gen.ts';
import type { Nullable, Timestamp } from './columns.ts';

interface EntryTypeTable {
  site_id: number;
  type_id: GeneratedAlways<number>;
  api_name: string;
  singular_name: string;
  plural_name: string;
  icon: Generated<EntryTypeIcon>;
  version: Generated<number>;
  created_at: Timestamp;
  modified_at: Timestamp;
}

/** Random value, replaced with each change of the schema or of a slot's state; caches of the schema compare it. */
interface SchemaStampTable {
  site_id: number;
  stamp: string;
}

/** Versions of the schema that events of publications can name. */
interface SchemaVersionTable {
  site_id: number;
  version: number;
  created_at: Timestamp;
}

/** The fields of an entry type from a version of the schema on. */
interface EntryTypeDefinitionTable {
  site_id: number;
  type_id: number;
  version: number;
  /** null when the type was deleted. */
  fields: JSONColumnType<readonly object[] | null>;
}

interface FieldTable {
  site_id: number;
  field_id: GeneratedAlways<number>;
  type_id: number;
  api_name: string;
  name: string;
  description: string | null;
  /** Field type of shapes 5. */
  kind: number;
  is_required: Generated<boolean>;
  required_when: ColumnType<object | null, string | null | undefined, string | null>;
  is_money: Generated<boolean>;
  is_multi: Generated<boolean>;
  is_key: Generated<boolean>;
  is_searchable: Generated<boolean>;
  is_date_only: Generated<boolean>;
  is_on_form: Generated<boolean>;
  formula: string | null;
  formula_max_length: Nullable<number>;
  entry_lists: Generated<number[]>;
  /** Column of `entry` with the values that filters and orders compare; null when the field has none. */
  slot: Nullable<string>;
  slot_state: Nullable<'filling' | 'ready'>;
  /** Whether entry_text contains the texts of all entries; null when the field is not searchable. */
  search_state: Nullable<'filling' | 'ready'>;
  version: Generated<number>;
  created_at: Timestamp;
  modified_at: Timestamp;
  /** A deleted field keeps its slot until its values are cleared from all entries. */
  deleted_at: Nullable<Date>;
}

interface ChoiceValueTable {
  site_id: number;
  field_id: number;
  choice_id: GeneratedAlways<number>;
  name: string;
  seq: number;
  is_removed: Generated<boolean>;
}

/** The next number of a counter field. */
interface FieldCounterTable {
  site_id: number;
  field_id: number;
  next: Generated<number>;
}

/** Background work left by a schema change; `after_id` is the last entry processed. */
interface FieldJobTable {
  site_id: number;
  field_id: number;
  job: 'slot' | 'search' | 'calculate' | 'clear';
  after_id: Generated<number>;
}

type NumberSlots = Record<`n${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`, Nullable<number>>;
type TextSlots = Record<`t${1 | 2 | 3 | 4 | 5 | 6}`, Nullable<string>>;

/** An entry. service/areas/schema/values.ts defines how values are stored in `vals` and in slots. */
interface EntryTable extends NumberSlots, TextSlots {
  site_id: number;
  entry_id: Generated<number>;
  type_id: number;
  version: Generated<number>;
  /** The value of the type's key field. */
  name: Generated<string>;
  name_key: Generated<string>;
  near_key: Nullable<string>;
  /** Field id → value; a field without data is absent, never null. */
  vals: JSONColumnType<Record<string, unknown>, string | undefined>;
}

/** Each id in a multi-select or reference field, so that entries can be found by what they refer to. */
interface EntryMultiTable {
  site_id: number;
  field_id: number;
  v: number;
  entry_id: number;
}

/** Texts of searchable fields in lower case. */
interface EntryTextTable {
  site_id: number;
  field_id: number;
  entry_id: number;
  v: string;
}

/** One row for each entry that ever existed: when it was created, changed, deleted and merged. */
interface EntryChangeTable {
  site_id: number;
  entry_id: number;
  type_id: number;
  name: Generated<string>;
  created_at: Timestamp;
  created_by: number | null;
  /** Last change of the entry itself by a user; calculations and indirect changes update only `any_at`. */
  direct_at: Nullable<Date>;
  any_at: Timestamp;
  modified_by: number | null;
  deleted_at: Nullable<Date>;
  merged_into: Nullable<number>;
  /** Values at the deletion; null while the entry exists. */
  last_vals: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
}

/** Every change of a value after the creation of its entry; `old` and `new` as in `vals`, null for no data. */
interface CellLogTable {
  site_id: number;
  entry_id: number;
  field_id: number;
  seq: GeneratedAlways<number>;
  at: Date;
  type_id: number;
  old: ColumnType<unknown, string | null, string | null>;
  new: ColumnType<unknown, string | null, string | null>;
  user_id: number | null;
  proxy_id: number | null;
  /** 0 a user, 1 a calculation, 2 an indirect change such as the merge of an entry that it referred to. */
  cause: Generated<number>;
}

/** Entries whose calculated fields must be recomputed. */
interface CalcQueueTable {
  site_id: number;
  entry_id: number;
  queued_at: Timestamp;
  attempts: Generated<number>;
}

/** Calculated values that could not be computed; the reason is shown with the schema. */
interface CalculationFailureTable {
  site_id: number;
  field_id: number;
  /** 0 for a field whose formula is no longer run. */
  entry_id: number;
  reason: string;
  attempts: Generated<number>;
  failed_at: Timestamp;
  /** Null: computed again when the entry or the formula changes. */
  retry_at: Nullable<Date>;
}

/** Content of a file, once per site; the bytes are stored in the data folder under their hash. */
interface StoredFileTable {
  site_id: number;
  file_id: GeneratedAlways<number>;
  hash: Buffer;
  size: number;
  media_type: string;
  created_at: Timestamp;
}

/** A view has either a type or the name of another table. */
interface SavedViewTable {
  site_id: number;
  view_id: GeneratedAlways<number>;
  type_id: number | null;
  table_name: string | null;
  owner_id: number;
  name: string;
  is_shared: boolean;
  search: string;
  query: string;
  sort: string;
  columns: JSONColumnType<object>;
  pinned: JSONColumnType<object, string | undefined>;
  version: Generated<number>;
  created_at: Timestamp;
  modified_at: Timestamp;
}

/** What caches compare (type-versions.ts). Only raw SQL reads and writes it. */
interface EntryTypeVersionTable {
  site_id: number;
  type_id: number;
  version: number;
  entries_version: number;
  field_versions: JSONColumnType<Record<string, number>>;
  recent_starts: Date[];
}

/** Number of entries of a type per block of ids; maintained by triggers (migrations/0058_entry_blocks.ts). */
interface EntryBlockTable {
  site_id: number;
  type_id: number;
  first_id: number;
  n: number;
}

export interface EntryTables {
  saved_view: SavedViewTable;
  entry_type: EntryTypeTable;
  schema_stamp: SchemaStampTable;
  schema_version: SchemaVersionTable;
  entry_type_definition: EntryTypeDefinitionTable;
  entry_type_version: EntryTypeVersionTable;
  field: FieldTable;
  choice_value: ChoiceValueTable;
  field_counter: FieldCounterTable;
  field_job: FieldJobTable;
  entry_block: EntryBlockTable;
  entry: EntryTable;
  entry_multi: EntryMultiTable;
  entry_text: EntryTextTable;
  entry_change: EntryChangeTable;
  cell_log: CellLogTable;
  calc_queue: CalcQueueTable;
  calculation_failure: CalculationFailureTable;
  stored_file: StoredFileTable;
}
