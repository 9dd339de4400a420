import type { FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import type { EntryColumn } from '../model/columns.ts';
import { itemText, itemsOf } from '../model/values.ts';

const MOST = 300;

interface EntryLinkProps {
  row: RowVm;
  /** Name of the entry type in addresses. */
  type: string;
  column: EntryColumn;
  /** Its name, as it is staged. */
  value: FieldValue | undefined;
  /** The moment at which it is looked at. */
  at?: string | undefined;
}

/** The address of an entry. */
export const entryPath = (type: string | number, entryId: number): string =>
  `/entries/${encodeURIComponent(type)}/${entryId}`;

/**
 * The name of an entry, which leads to it; an entry without one is called by its id. A plain link: the grid follows it
 * (useFollow), since hundreds of links that each watch the router make scrolling slow.
 */
export function EntryLink({ row, type, column, value, at }: EntryLinkProps) {
  const [name] = itemsOf(value);
  const text = name === undefined ? '' : itemText(name, column.field).trim();
  return (
    <a
      href={`${entryPath(type, row.EntryId)}${at === undefined ? '' : `?at=${encodeURIComponent(at)}`}`}
      tabIndex={-1}
      title={text.length > 30 ? text.slice(0, MOST) : undefined}
    >
      {text === '' ? `Entry ${row.EntryId}` : text.slice(0, MOST)}
    </a>
  );
}

/** The name of an entry that is to be made: there is no page of it yet. */
export function NewName({ column, value }: Pick<EntryLinkProps, 'column' | 'value'>) {
  const [name] = itemsOf(value);
  const text = name === undefined ? '' : itemText(name, column.field).trim();
  return text === '' ? <span className="eg-unnamed">New entry</span> : <span>{text.slice(0, MOST)}</span>;
}
