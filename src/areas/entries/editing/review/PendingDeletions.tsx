import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../../api/errors.ts';
import { formatNumber, pluralize } from '../../../../lib/numbers.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { IconButton } from '../../../../ui/button/IconButton.tsx';
import { Banner } from '../../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../../ui/layout/Badge.tsx';
import type { Schema } from '../../model/schema.ts';
import { confirmEntryDeletions, unstageEntryDeletions } from '../change-set-store.ts';
import { referenceCountsQuery } from '../pending-deletions.ts';
import type { ReviewedDeletion } from './review-change-set.ts';

interface PendingDeletionsProps {
  typeId: number;
  schema: Schema;
  deletions: readonly ReviewedDeletion[];
  /** Names of those who changed the entries since. */
  userNames: ReadonlyMap<number, string>;
  /** Whether values are saved before the deletions. */
  afterValues: boolean;
}

const PAGE_SIZE = 50;
const listFormat = new Intl.ListFormat('en');

/** The staged deletions with their consequences and a button to keep each entry. */
export function PendingDeletions({
  typeId,
  schema,
  deletions,
  userNames,
  afterValues,
}: PendingDeletionsProps) {
  const [visibleCount, setVisibleCount] = useState(PAGE_SIZE);
  if (deletions.length === 0) return null;
  const keep = (entryIds: readonly number[], name: string) =>
    unstageEntryDeletions(typeId, entryIds, `Keep ${name}`);
  return (
    <section className="review-entry review-deletions" aria-label="To be deleted">
      <header>
        <h3>Delete {pluralize(deletions.length, 'entry', 'entries')}</h3>
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
        {afterValues && 'Changes are saved first. If they are refused, nothing is deleted. '}
        Deletions cannot be undone here. An administrator of the service can restore entries.
      </p>
      <EmptiedReferences {...{ typeId, schema, deletions }} />
      <ul>
        {deletions.slice(0, visibleCount).map((reviewed) => (
          <PendingDeletionItem key={reviewed.deletion.entryId} {...{ typeId, keep, reviewed, userNames }} />
        ))}
      </ul>
      {deletions.length > visibleCount && (
        <Button onClick={() => setVisibleCount(visibleCount + PAGE_SIZE)}>
          Show {formatNumber(Math.min(PAGE_SIZE, deletions.length - visibleCount))} more entries
        </Button>
      )}
    </section>
  );
}

interface PendingDeletionItemProps {
  typeId: number;
  reviewed: ReviewedDeletion;
  userNames: ReadonlyMap<number, string>;
  keep: (entryIds: readonly number[], name: string) => void;
}

/** Names of those who changed an entry; "Someone else" if one of them is unknown. */
function formatAuthors(ids: readonly number[], userNames: ReadonlyMap<number, string>): string {
  const names = ids.flatMap((id) => userNames.get(id) ?? []);
  return names.length > 0 && names.length === ids.length ? listFormat.format(names) : 'Someone else';
}

function PendingDeletionItem({
  typeId,
  reviewed: { deletion, error, conflict },
  userNames,
  keep,
}: PendingDeletionItemProps) {
  const { entryId, entryName } = deletion;
  const { row } = conflict ?? {};
  return (
    <li className="review-change">
      <div className="review-deletion">
        <del>
          <Link to="/entries/$type/$entryId" params={{ type: String(typeId), entryId }}>
            <bdi>{entryName}</bdi>
          </Link>
        </del>
        {conflict && !row && <Badge>Already deleted</Badge>}
        <IconButton
          label={`Keep ${entryName}`}
          icon={X}
          size="small"
          onClick={() => keep([entryId], entryName)}
        />
      </div>
      {error !== undefined && <p className="field-error">{error}</p>}
      {conflict && row && (
        <div className="review-conflict">
          <p>
            <bdi>{formatAuthors(conflict.modifiedBy, userNames)}</bdi> changed{' '}
            {listFormat.format(conflict.changedFields.map(({ name }) => name))} after you staged the deletion.
          </p>
          <span className="review-actions">
            <Button size="small" onClick={() => keep([entryId], entryName)}>
              Keep
            </Button>
            <Button size="small" onClick={() => confirmEntryDeletions(typeId, [{ entryId, row }])}>
              Delete anyway
            </Button>
          </span>
        </div>
      )}
    </li>
  );
}

/** Number of references to the entries by field; deleting empties them. */
function EmptiedReferences({
  typeId,
  schema,
  deletions,
}: Pick<PendingDeletionsProps, 'typeId' | 'schema' | 'deletions'>) {
  const ids = useMemo(() => deletions.map(({ deletion }) => deletion.entryId), [deletions]);
  const { data, error } = useQuery({
    ...referenceCountsQuery(typeId, ids, schema),
    placeholderData: keepPreviousData,
  });
  if (error)
    return (
      <Banner tone="warn" title="References to the entries could not be counted">
        {toServiceError(error).message}
      </Banner>
    );
  if (!data) return <p className="review-none">Counting references</p>;
  if (data.left.length === 0)
    return (
      <p className="review-none">
        {data.isComplete
          ? 'No entry refers to them.'
          : 'Other entries may refer to them. There are too many to count.'}
      </p>
    );
  return (
    <Banner tone="warn" title="References to them will be emptied">
      <ul className="review-references">
        {data.left.map(({ field, entries }) => {
          const from = schema.typeById.get(field.entryTypeId);
          return (
            <li key={field.id}>
              {field.name} of{' '}
              {pluralize(entries, from?.singularName ?? 'entry', from?.pluralName ?? 'entries')}
              {field.isRequired && ', where it is required'}
            </li>
          );
        })}
        {!data.isComplete && <li>Other fields may refer to them. There are too many to count.</li>}
      </ul>
    </Banner>
  );
}
