/** Column types that the table types share: select, insert and update type of a column. */
import type { ColumnType } from 'kysely';

/** A timestamp that the database sets when an insert leaves it out. */
export type Timestamp = ColumnType<Date, Date | undefined, Date>;
/** A nullable column that an insert may leave out. */
export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;
