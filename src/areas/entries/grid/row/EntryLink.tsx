import type { FieldValue, RowVm } from '../../../../../contract/generated/types.gen.ts';
import type { EntryColumn } from '../../model/columns.ts';
import { formatItem, toItems } from '../../model/values.ts';

const MAX_NAME_CHARS = 300;

interface EntryLinkProps {
  row: RowVm;
  /** Name of the entry type in URLs. */
  type: string;
  column: EntryColumn;
  /** The entry's name, staged or stored. */
  value: FieldValue | undefined;
  /** Time as of which the entry is displayed; undefined for now. */
  asOf?: string | undefined;
}

/** URL path of an entry. */
export const getEntryPath = (type: string | number, entryId: number): string =>
  `/entries/${encodeURIComponent(type)}/${entryId}`;

/**
 * Link to an entry with its name, or its id without a name. A plain link handled by the grid (useLinkNavigation), since
 * hundreds of router links would slow down scrolling.
 */
export function EntryLink({ row, type, column, value, asOf }: EntryLinkProps) {
  const [name] = toItems(value);
  const text = name === undefined ? '' : formatItem(name, column.field).trim();
  return (
    <a
      href={`${getEntryPath(type, row.EntryId)}${asOf === undefined ? '' : `?at=${encodeURIComponent(asOf)}`}`}
      tabIndex={-1}
      title={text.length > 30 ? text.slice(0, MAX_NAME_CHARS) : undefined}
    >
      {text === '' ? `Entry ${row.EntryId}` : text.slice(0, MAX_NAME_CHARS)}
    </a>
  );
}

/** Name of a new entry, which has no page yet. */
export function NewEntryName({ column, value }: Pick<EntryLinkProps, 'column' | 'value'>) {
  const [name] = toItems(value);
  const text = name === undefined ? '' : formatItem(name, column.field).trim();
  return text === '' ? (
    <span className="eg-unnamed">New entry</span>
  ) : (
    <span>{text.slice(0, MAX_NAME_CHARS)}</span>
  );
}
