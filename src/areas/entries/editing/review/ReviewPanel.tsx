import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Redo2, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../../api/errors.ts';
import { usePermission } from '../../../../api/session.ts';
import { formatTime } from '../../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../../lib/numbers.ts';
import { endSentence } from '../../../../lib/text/sentences.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { IconButton } from '../../../../ui/button/IconButton.tsx';
import { confirmIrreversible } from '../../../../ui/dialog/confirm-irreversible.tsx';
import { Panel } from '../../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../../ui/feedback/Banner.tsx';
import { useUserNames } from '../../model/field-users.ts';
import { useSchema } from '../../model/schema.ts';
import {
  confirmDiscardChanges,
  keepOwnValues,
  redoStep,
  undoStep,
  unstageCells,
  useChangeSet,
  stageInverse,
  useSentRequests,
} from '../change-set-store.ts';
import type { SentRequest } from '../change-set-store.ts';
import { getUnconfirmedNewIds, getStagedCells } from '../change-set.ts';
import type { countStaged } from '../change-set.ts';
import { currentCellsQuery } from '../current-cells.ts';
import type { CurrentCell } from '../current-cells.ts';
import { formatStagedCounts } from '../format-changes.ts';
import { deletionConflictsQuery } from '../pending-deletions.ts';
import type { AuthoredConflict } from '../pending-deletions.ts';
import { updateSendState, MAX_REQUEST_ITEMS } from '../send.ts';
import type { SendFailure } from '../send.ts';
import { useSend } from '../use-send.ts';
import { PendingDeletions } from './PendingDeletions.tsx';
import { reviewChangeSet } from './review-change-set.ts';
import { ReviewEntry } from './ReviewEntry.tsx';
import { UnconfirmedBanner } from './UnconfirmedBanner.tsx';
import './review.css';

interface ReviewPanelProps {
  typeId: number;
  onClose: () => void;
}

const NO_CURRENT_CELLS: ReadonlyMap<string, CurrentCell> = new Map();
const NO_DELETION_CONFLICTS: ReadonlyMap<number, AuthoredConflict> = new Map();
const PAGE_SIZE = 50;

/** Panel to review the staged changes of a type by entry, resolve conflicts and save them in one request. */
export function ReviewPanel({ typeId, onClose: close }: ReviewPanelProps) {
  const schema = useSchema();
  const fields = schema.getFields(typeId);
  const changes = useChangeSet(typeId);
  const cells = useMemo(() => getStagedCells(changes), [changes]);
  const current = useQuery({
    ...currentCellsQuery(typeId, cells, fields),
    placeholderData: keepPreviousData,
  });
  const stagedDeletions = useMemo(() => [...changes.deletions.values()], [changes.deletions]);
  const deletionConflicts = useQuery({
    ...deletionConflictsQuery(typeId, stagedDeletions, fields),
    placeholderData: keepPreviousData,
  });
  const { entries, deletions, total, conflicts, alreadyStored, blockingCount } = useMemo(
    () =>
      reviewChangeSet(
        changes,
        fields,
        current.data ?? NO_CURRENT_CELLS,
        deletionConflicts.data ?? NO_DELETION_CONFLICTS,
      ),
    [changes, fields, current.data, deletionConflicts.data],
  );
  const userNames = useUserNames(
    useMemo(
      () => [
        ...conflicts.flatMap(({ theirs }) => theirs?.modifiedBy ?? []),
        ...deletions.flatMap(({ conflict }) => conflict?.modifiedBy ?? []),
      ],
      [conflicts, deletions],
    ),
  );
  const { send, failure, pending } = useSend(typeId);
  const deleting = usePermission('deleteEntries');
  const [visibleCount, setVisibleCount] = useState(PAGE_SIZE);

  const onClose = () => {
    // The user has seen the failure; one of a request still running is shown when the panel opens again.
    if (!pending) updateSendState(typeId, { failure: undefined });
    close();
  };
  const save = async (ignoreNearDups = false) => {
    let isDone = false;
    const run = async () => {
      // Values that are stored already would be refused as conflicts.
      keepOwnValues(
        typeId,
        alreadyStored.map(({ cell }) => ({ ...cell, before: cell.value })),
      );
      isDone = await send(ignoreNearDups);
    };
    if (total.deletions === 0) await run();
    else if (!(await confirmDeletion(total, run))) return;
    if (isDone) onClose();
    else {
      // Loads the values of conflicts found by the service.
      void current.refetch();
      void deletionConflicts.refetch();
    }
  };
  const isEmpty = total.cells + total.deletions === 0;
  const deletionConflictCount = deletions.filter(({ conflict }) => conflict?.row).length;
  const blockedReason =
    (total.deletions > 0 ? deleting.reason : undefined) ??
    getBlockedReason({
      total,
      conflictCount: conflicts.length + deletionConflictCount,
      errorCount: blockingCount,
      unconfirmedCount: getUnconfirmedNewIds(changes).length,
    });
  // Changes being saved cannot be undone or discarded: they would be stored anyway.
  const busyReason = pending ? 'The changes are being saved' : undefined;
  const resolvableConflicts = conflicts.filter(({ theirs }) => theirs && theirs.deletedMessage === undefined);
  return (
    <Panel title={isEmpty ? 'Changes' : `Review ${formatStagedCounts(total)}`} onClose={onClose}>
      <div className="review" inert={pending}>
        {changes.unconfirmed && !pending && !isEmpty && (
          <UnconfirmedBanner {...{ typeId, changes, fields }} request={changes.unconfirmed} />
        )}
        {alreadyStored.length > 0 && !pending && (
          <Banner title={`${pluralize(alreadyStored.length, 'value is', 'values are')} stored already`}>
            Someone else saved the same value, or a request was saved without an answer. Saving leaves them
            out.
          </Banner>
        )}
        {failure && !changes.unconfirmed && (
          <FailureBanner failure={failure} pending={pending} onRetry={() => void save(true)} />
        )}
        {(current.error ?? deletionConflicts.error) && (
          <Banner tone="warn" title="Current values could not be loaded">
            {endSentence(toServiceError(current.error ?? deletionConflicts.error).message)} The service checks
            them when you save.
          </Banner>
        )}
        {conflicts.length > 0 && (
          <Banner
            tone="warn"
            title={`${pluralize(conflicts.length, 'value was', 'values were')} changed by someone else in the meantime`}
            actions={
              <span className="review-actions">
                <Button
                  size="small"
                  onClick={() =>
                    unstageCells(
                      typeId,
                      conflicts.map(({ cell }) => cell),
                      'Take theirs',
                    )
                  }
                >
                  Take all theirs
                </Button>
                {resolvableConflicts.length > 0 && (
                  <Button
                    size="small"
                    onClick={() =>
                      keepOwnValues(
                        typeId,
                        resolvableConflicts.map(({ cell, theirs }) => ({ ...cell, before: theirs?.value })),
                      )
                    }
                  >
                    Keep all yours
                  </Button>
                )}
              </span>
            }
          />
        )}
        {isEmpty && <p className="review-none">There are no staged changes.</p>}
        <PendingDeletions {...{ typeId, schema, deletions, userNames }} afterValues={total.cells > 0} />
        {entries.slice(0, visibleCount).map((entry) => (
          <ReviewEntry key={entry.entryId} {...{ typeId, entry, userNames }} />
        ))}
        {entries.length > visibleCount && (
          <Button onClick={() => setVisibleCount(visibleCount + PAGE_SIZE)}>
            Show {formatNumber(Math.min(PAGE_SIZE, entries.length - visibleCount))} more entries
          </Button>
        )}
        <SentRequests typeId={typeId} />
      </div>
      <footer className="form-footer review-footer">
        <IconButton
          label="Undo"
          icon={Undo2}
          disabledReason={busyReason ?? (changes.undoSteps.length === 0 ? 'Nothing to undo' : undefined)}
          onClick={() => undoStep(typeId)}
        />
        <IconButton
          label="Redo"
          icon={Redo2}
          disabledReason={busyReason ?? (changes.redoSteps.length === 0 ? 'Nothing to redo' : undefined)}
          onClick={() => redoStep(typeId)}
        />
        <span className="review-space" />
        {!isEmpty && (
          <>
            <Button disabledReason={busyReason} onClick={() => void confirmDiscardChanges(typeId)}>
              Discard all
            </Button>
            <Button
              variant={total.deletions > 0 ? 'danger' : 'primary'}
              pending={pending}
              disabledReason={blockedReason}
              onClick={() => void save()}
            >
              {formatSaveLabel(total)}
            </Button>
          </>
        )}
      </footer>
    </Panel>
  );
}

type StagedCounts = ReturnType<typeof countStaged>;

const formatSaveLabel = ({ cells, deletions }: StagedCounts): string =>
  [
    cells > 0 && `Save ${pluralize(cells, 'change', 'changes')}`,
    deletions > 0 && `${cells > 0 ? 'delete' : 'Delete'} ${pluralize(deletions, 'entry', 'entries')}`,
  ]
    .filter(Boolean)
    .join(' and ');

// For more deletions than this, the user has to type their number.
const MAX_UNTYPED_DELETIONS = 20;

/** Asks for confirmation before entries are deleted for good. */
const confirmDeletion = (total: StagedCounts, run: () => Promise<unknown>): Promise<boolean> => {
  const isOne = total.deletions === 1;
  return confirmIrreversible({
    title: `Delete ${pluralize(total.deletions, 'entry', 'entries')} permanently?`,
    irreversible: `This cannot be undone here. An administrator of the service can restore ${isOne ? 'the entry' : 'the entries'}. The history stays.`,
    breaks: `References to ${isOne ? 'it' : 'them'} are emptied, and links to ${isOne ? 'it' : 'them'} lead to a page about the deletion.`,
    affects: 'Everyone who works with these entries, and programs that read or write them.',
    ...(total.cells > 0 && {
      details: `${pluralize(total.cells, 'change is', 'changes are')} saved first. If they are refused, nothing is deleted.`,
    }),
    action: formatSaveLabel(total),
    cancel: 'Back to review',
    ...(total.deletions > MAX_UNTYPED_DELETIONS && { expectedText: String(total.deletions) }),
    run,
  });
};

interface BlockingState {
  total: StagedCounts;
  conflictCount: number;
  errorCount: number;
  /** Number of new entries that an unanswered request may have created. */
  unconfirmedCount: number;
}

function getBlockedReason({ total, conflictCount, errorCount, unconfirmedCount }: BlockingState) {
  if (unconfirmedCount > 0)
    return `Decide first whether ${unconfirmedCount === 1 ? 'the new entry exists' : 'the new entries exist'}`;
  const itemCount = Math.max(total.cells, total.deletions);
  if (itemCount > MAX_REQUEST_ITEMS)
    return `At most ${formatNumber(MAX_REQUEST_ITEMS)} changes can be saved at once: remove ${formatNumber(itemCount - MAX_REQUEST_ITEMS)}`;
  if (conflictCount > 0)
    return `Decide first about ${pluralize(conflictCount, 'value', 'values')} changed by someone else`;
  if (errorCount > 0) return `${pluralize(errorCount, 'value is', 'values are')} not valid yet`;
  return undefined;
}

interface FailureBannerProps {
  failure: SendFailure;
  pending: boolean;
  /** Sends again, including near-duplicate names. */
  onRetry: () => void;
}

/** Result of the last failed request: what was saved, and the errors. */
function FailureBanner({ failure, pending, onRetry }: FailureBannerProps) {
  const { part, message, errors, savedCount, deletedCount } = failure;
  if (part === 'deletions') {
    const results = [
      savedCount > 0 && `${pluralize(savedCount, 'change was', 'changes were')} saved`,
      deletedCount > 0 && `${pluralize(deletedCount, 'entry was', 'entries were')} deleted`,
    ].filter((text) => text !== false);
    return (
      <Banner tone="bad" title={deletedCount > 0 ? 'Some entries were not deleted' : 'Nothing was deleted'}>
        {[...results, message].filter(Boolean).join('. ')}
        {results.length + message.length > 0 && '. '}The entries below were not deleted. You can send them
        again.
      </Banner>
    );
  }
  return (
    <Banner
      tone="bad"
      title="Nothing was saved"
      actions={
        errors.isOnlyNearDuplicate && (
          <Button size="small" pending={pending} onClick={onRetry}>
            Save anyway
          </Button>
        )
      }
    >
      {[message, ...errors.otherErrors].filter(Boolean).join('. ')}
      {errors.cellErrors.size > 0 &&
        ` The service refused ${pluralize(errors.cellErrors.size, 'value', 'values')}. Your changes are kept.`}
      {errors.conflicts.length > 0 &&
        ' Some values were changed by someone else. Decide below which to keep, and save again.'}
    </Banner>
  );
}

/** Requests saved since the page was opened: values can be reverted, deleted entries link to their history. */
function SentRequests({ typeId }: { typeId: number }) {
  const sent = useSentRequests(typeId);
  if (sent.length === 0) return null;
  return (
    <section className="review-sent" aria-label="Saved">
      <h3>Saved</h3>
      <ul>
        {sent.map((request) => {
          if (request.deletions.length > 0)
            return <SentDeletions key={request.id} typeId={typeId} sent={request} />;
          const entries = new Set(request.cells.map(({ entryId }) => entryId));
          const isNew = [...entries].every((entryId) => entryId < 0);
          return (
            <li key={request.id}>
              <span>
                {pluralize(request.cells.length, 'change', 'changes')} in{' '}
                {pluralize(entries.size, 'entry', 'entries')}, {formatTime(request.sentAt)}
              </span>
              <Button
                size="small"
                disabledReason={isNew ? 'Delete new entries on their pages' : undefined}
                onClick={() => stageInverse(typeId, request)}
              >
                Undo
              </Button>
            </li>
          );
        })}
      </ul>
      <p>Undo stages the previous values as new changes to review.</p>
    </section>
  );
}

const MAX_NAMED = 20;

function SentDeletions({ typeId, sent: { deletions, sentAt } }: { typeId: number; sent: SentRequest }) {
  return (
    <li className="review-sent-deletions">
      <details>
        <summary>
          Deleted {pluralize(deletions.length, 'entry', 'entries')}, {formatTime(sentAt)}
        </summary>
        <ul>
          {deletions.slice(0, MAX_NAMED).map(({ entryId, entryName }) => (
            <li key={entryId}>
              <Link to="/entries/$type/$entryId" params={{ type: String(typeId), entryId }}>
                <bdi>{entryName}</bdi>
              </Link>
            </li>
          ))}
        </ul>
        {deletions.length > MAX_NAMED && <p>and {formatNumber(deletions.length - MAX_NAMED)} more</p>}
      </details>
    </li>
  );
}
