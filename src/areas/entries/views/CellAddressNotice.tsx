import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { EntryPosition } from '../model/entry-rows.ts';
import type { Field } from '../model/schema.ts';
import { findField } from '../model/schema.ts';
import EntryIdNotice from './EntryIdNotice.tsx';
import { formatView, formatCellAddress } from './view.ts';
import type { EntriesView, CellAddress } from './view.ts';

interface CellAddressNoticeProps {
  /** Name of the entry type in URLs. */
  type: string;
  typeId: number;
  target: CellAddress;
  position: EntryPosition;
  view: EntriesView;
  fields: readonly Field[];
  /** Whether the list has a search or a filter. */
  isFiltered: boolean;
  /** Whether the field's column is visible. */
  isColumnVisible: boolean;
  onShowColumn: (apiName: string) => void;
}

/** Explains why the row or cell that the URL points at is not visible, with a link to it. Loaded when it is needed. */
export default function CellAddressNotice(props: CellAddressNoticeProps) {
  const { type, target, position, view, isFiltered, fields, isColumnVisible } = props;
  const { entryId } = target;
  const toEntry = (
    <Link to="/entries/$type/$entryId" params={{ type, entryId }} className={buttonClass({ size: 'small' })}>
      Open entry
    </Link>
  );
  if (position.row === null && position.name === undefined)
    return <EntryIdNotice entryId={entryId} typeId={props.typeId} isExpected />;
  if (position.row === null)
    return (
      <Banner
        tone="warn"
        title={`${position.name} is not in this list`}
        actions={
          <>
            {toEntry}
            {isFiltered && (
              <Link
                to="/entries/$type"
                params={{ type }}
                search={{
                  ...formatView({ ...view, q: '', query: undefined }),
                  ...formatCellAddress(target),
                }}
                className={buttonClass({ size: 'small' })}
              >
                Show it in all entries
              </Link>
            )}
          </>
        }
      >
        It does not match the search or the filter of this link.
      </Banner>
    );
  if (target.field === '' || isColumnVisible) return null;
  const field = findField(fields, target.field);
  return field ? (
    <Banner
      title={`The column ${field.name} is hidden`}
      actions={
        <Button size="small" onClick={() => props.onShowColumn(field.apiName)}>
          Show column
        </Button>
      }
    >
      This link points at its value in the highlighted row.
    </Banner>
  ) : (
    <Banner tone="warn" title={`There is no field ${target.field}`}>
      It was deleted or renamed after the link was created. The link's row is highlighted.
    </Banner>
  );
}
