import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Schema } from '../model/schema.ts';
import type { ReviewedDeletion } from './review.ts';
import { deleteStillOf, keepEntriesOf } from './store.ts';
import { leftQuery } from './use-going.ts';

interface GoingProps {
  typeId: number;
  schema: Schema;
  deletions: readonly ReviewedDeletion[];
  /** Whether values are saved besides. */
  afterValues: boolean;
}

const PAGE = 50;
const list = new Intl.ListFormat('en');

/** The entries that are to go: what it means, what is left without them, and the way back while there is one. */
export function Going({ typeId, schema, deletions, afterValues }: GoingProps) {
  const [shown, setShown] = useState(PAGE);
  if (deletions.length === 0) return null;
  const keep = (entryIds: readonly number[], name: string) => keepEntriesOf(typeId, entryIds, `Keep ${name}`);
  return (
    <section className="review-entry review-going" aria-label="To be deleted">
      <header>
        <h3>Delete {counted(deletions.length, 'entry', 'entries')}</h3>
        {deletions.length > 1 && (
          <Button
            size="small"
            onClick={() =>
              keep(
                deletions.map(({ deletion }) => deletion.entryId),
                'all entries',
              )
            }
          >
            Keep all
          </Button>
        )}
      </header>
      <p>
        {afterValues && 'The changes are saved first; if they are refused, nothing is deleted. '}
        Once deleted, entries do not come back by undo: whoever runs the service can restore them.
      </p>
      <LeftBehind {...{ typeId, schema, deletions }} />
      <ul>
        {deletions.slice(0, shown).map((one) => (
          <GoingEntry key={one.deletion.entryId} {...{ typeId, keep }} reviewed={one} />
        ))}
      </ul>
      {deletions.length > shown && (
        <Button onClick={() => setShown(shown + PAGE)}>
          Show {count(Math.min(PAGE, deletions.length - shown))} more entries
        </Button>
      )}
    </section>
  );
}

interface GoingEntryProps {
  typeId: number;
  reviewed: ReviewedDeletion;
  keep: (entryIds: readonly number[], name: string) => void;
}

function GoingEntry({ typeId, reviewed: { deletion, fault, meanwhile }, keep }: GoingEntryProps) {
  const { entryId, entryName } = deletion;
  const { row } = meanwhile ?? {};
  return (
    <li className="review-change">
      <div className="review-goes">
        <del>
          <Link to="/entries/$type/$entryId" params={{ type: String(typeId), entryId }}>
            <bdi>{entryName}</bdi>
          </Link>
        </del>
        {meanwhile && !row && <Badge>Gone already</Badge>}
        <IconButton
          label={`Keep ${entryName}`}
          icon={X}
          size="small"
          onClick={() => keep([entryId], entryName)}
        />
      </div>
      {fault !== undefined && <p className="field-error">{fault}</p>}
      {meanwhile && row && (
        <div className="review-theirs">
          <p>Somebody changed {list.format(meanwhile.changed.map(({ name }) => name))} since you chose it.</p>
          <span className="review-both">
            <Button size="small" onClick={() => keep([entryId], entryName)}>
              Keep it
            </Button>
            <Button size="small" onClick={() => deleteStillOf(typeId, [{ entryId, seen: row }])}>
              Delete it all the same
            </Button>
          </span>
        </div>
      )}
    </li>
  );
}

/** The entries that refer to those that go, by the field that does: they are left without a value there. */
function LeftBehind({ typeId, schema, deletions }: Omit<GoingProps, 'afterValues'>) {
  const ids = useMemo(() => deletions.map(({ deletion }) => deletion.entryId), [deletions]);
  const { data, error } = useQuery({
    ...leftQuery(typeId, ids, schema),
    placeholderData: keepPreviousData,
  });
  if (error)
    return (
      <Banner tone="warn" title="What refers to them could not be counted">
        {toServiceError(error).message}
      </Banner>
    );
  if (!data) return <p className="review-none">Counting what refers to them</p>;
  if (data.left.length === 0)
    return (
      <p className="review-none">
        {data.isWhole
          ? 'No entry refers to them.'
          : 'Entries may refer to them: there is too much to ask for all of it.'}
      </p>
    );
  return (
    <Banner tone="warn" title="References to them are emptied">
      <ul className="review-left">
        {data.left.map(({ field, entries }) => {
          const from = schema.typeById.get(field.entryTypeId);
          return (
            <li key={field.id}>
              {field.name} of {counted(entries, from?.singularName ?? 'entry', from?.pluralName ?? 'entries')}
              {field.isRequired && ', where it is required'}
            </li>
          );
        })}
        {!data.isWhole && <li>Other fields may refer to them; they were too many to ask.</li>}
      </ul>
    </Banner>
  );
}
