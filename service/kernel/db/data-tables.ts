/** The tables of entry types, fields and entries as the statements see them (tables.ts). */
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';

/** A time that the database sets when the statement does not. */
type Stamp = ColumnType<Date, Date | undefined, Date>;
/** A column with a default that also may be null. */
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

interface EntryTypeTable {
  site_id: number;
  type_id: GeneratedAlways<number>;
  api_name: string;
  singular_name: string;
  plural_name: string;
  version: Generated<number>;
  created_at: Stamp;
  modified_at: Stamp;
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
  entry_lists: Generated<number[]>;
  /** Column of `entry` with what filters and orders compare; null: none. */
  slot: Nullable<string>;
  slot_state: Nullable<'filling' | 'ready'>;
  /** Whether entry_text holds the texts of all entries; null: the field is not searchable. */
  search_state: Nullable<'filling' | 'ready'>;
  version: Generated<number>;
  created_at: Stamp;
  modified_at: Stamp;
  /** Deleted, and keeps its slot until the values are gone from all entries. */
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

/** What a change of the schema leaves to be done with the entries behind `after_id`. */
interface FieldJobTable {
  site_id: number;
  field_id: number;
  job: 'slot' | 'search' | 'calculate' | 'clear';
  after_id: Generated<number>;
}

type NumberSlots = Record<`n${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`, Nullable<number>>;
type TextSlots = Record<`t${1 | 2 | 3 | 4 | 5 | 6}`, Nullable<string>>;

/** An entry; service/areas/schema/values.ts says how a value lies in `vals` and in a slot. */
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

/** Each id of a multi-select choice, reference or user field, and of every reference: who refers to an entry. */
interface EntryMultiTable {
  site_id: number;
  field_id: number;
  v: number;
  entry_id: number;
}

/** Folded texts of searchable fields. */
interface EntryTextTable {
  site_id: number;
  field_id: number;
  entry_id: number;
  v: string;
}

/** One row for each entry that ever was: when it was made, changed and deleted. */
interface EntryChangeTable {
  site_id: number;
  entry_id: number;
  type_id: number;
  name: Generated<string>;
  created_at: Stamp;
  created_by: number | null;
  /** Last change that somebody made of this entry itself; calculations and indirect changes move `any_at` alone. */
  direct_at: Nullable<Date>;
  any_at: Stamp;
  modified_by: number | null;
  deleted_at: Nullable<Date>;
  merged_into: Nullable<number>;
  /** Values at the deletion; null while the entry lives. */
  last_vals: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
}

/** Every change of a value after the creation of its entry; `old` and `new` as in `vals`, null: no data. */
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
  /** 0 somebody, 1 a calculation, 2 indirectly, as by merging what it referred to. */
  cause: Generated<number>;
}

/** Entries whose calculated fields are to be computed anew. */
interface CalcQueueTable {
  site_id: number;
  entry_id: number;
  queued_at: Stamp;
  attempts: Generated<number>;
}

/** Content of a file, once a site; the bytes lie in the data folder under their hash. */
interface StoredFileTable {
  site_id: number;
  file_id: GeneratedAlways<number>;
  hash: Buffer;
  size: number;
  media_type: string;
  created_at: Stamp;
}

interface SavedViewTable {
  site_id: number;
  view_id: GeneratedAlways<number>;
  type_id: number;
  owner_id: number;
  name: string;
  is_shared: boolean;
  search: string;
  query: string;
  sort: string;
  columns: JSONColumnType<object>;
  version: Generated<number>;
  created_at: ColumnType<Date, Date | undefined, Date>;
  modified_at: ColumnType<Date, Date | undefined, Date>;
}

export interface DataTables {
  saved_view: SavedViewTable;
  entry_type: EntryTypeTable;
  field: FieldTable;
  choice_value: ChoiceValueTable;
  field_counter: FieldCounterTable;
  field_job: FieldJobTable;
  entry: EntryTable;
  entry_multi: EntryMultiTable;
  entry_text: EntryTextTable;
  entry_change: EntryChangeTable;
  cell_log: CellLogTable;
  calc_queue: CalcQueueTable;
  stored_file: StoredFileTable;
}
