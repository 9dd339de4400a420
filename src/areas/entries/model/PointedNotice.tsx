import { Link } from '@tanstack/react-router';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { Field } from './schema.ts';
import { fieldCalled } from './schema.ts';
import type { Position } from './use-position.ts';
import { writeEntriesView, writePointed } from './view.ts';
import type { EntriesView, Pointed } from './view.ts';

interface PointedNoticeProps {
  /** Name of the entry type in addresses. */
  type: string;
  pointed: Pointed;
  position: Position;
  view: EntriesView;
  narrowed: boolean;
  fields: readonly Field[];
  /** Whether the field stands in a column. */
  isShown: boolean;
  onShowColumn: (apiName: string) => void;
}

/** Why an address does not lead to what it points at, and where that is. */
export function PointedNotice(props: PointedNoticeProps) {
  const { type, pointed, position, view, narrowed, fields, isShown } = props;
  const { entryId } = pointed;
  const toEntry = (
    <Link to="/entries/$type/$entryId" params={{ type, entryId }} className={buttonClass({ size: 'small' })}>
      {position.name === undefined ? 'What became of it' : 'Open it'}
    </Link>
  );
  if (position.row === null && position.name === undefined)
    return (
      <Banner tone="warn" title={`Entry ${entryId} is not here`} actions={toEntry}>
        It was deleted, or there never was one with this id.
      </Banner>
    );
  if (position.row === null)
    return (
      <Banner
        tone="warn"
        title={`${position.name} is not among these`}
        actions={
          <>
            {toEntry}
            {narrowed && (
              <Link
                to="/entries/$type"
                params={{ type }}
                search={{
                  ...writeEntriesView({ ...view, q: '', query: undefined }),
                  ...writePointed(pointed),
                }}
                className={buttonClass({ size: 'small' })}
              >
                Show it among all
              </Link>
            )}
          </>
        }
      >
        It does not have what the search or the filter of this address asks for.
      </Banner>
    );
  if (pointed.field === '' || isShown) return null;
  const field = fieldCalled(fields, pointed.field);
  return field ? (
    <Banner
      title={`The column ${field.name} is not shown`}
      actions={
        <Button size="small" onClick={() => props.onShowColumn(field.apiName)}>
          Show the column
        </Button>
      }
    >
      This address points at its value in the row that is marked.
    </Banner>
  ) : (
    <Banner tone="warn" title={`There is no field ${pointed.field}`}>
      It was deleted or renamed since the link was made. The row is the one that it points at.
    </Banner>
  );
}
