import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Redo2, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { usePeopleNames } from '../model/people.ts';
import { useSchema } from '../model/schema.ts';
import { putAttempt } from './attempts.ts';
import { inDoubt, stagedIn } from './changes.ts';
import type { countStaged } from './changes.ts';
import { discardAll } from './discard.ts';
import { DoubtBanner } from './DoubtBanner.tsx';
import { Going } from './Going.tsx';
import { review } from './review.ts';
import { ReviewEntry } from './ReviewEntry.tsx';
import { MOST_ITEMS } from './send.ts';
import { SentList } from './SentList.tsx';
import { keepMine, redoStep, undoStep, unstageCells, useChanges } from './store.ts';
import { currentQuery } from './use-current.ts';
import type { Current } from './use-current.ts';
import { meanwhileQuery } from './use-going.ts';
import type { Meanwhile } from './use-going.ts';
import { useSend } from './use-send.ts';
import { stagedWords } from './words.ts';
import type { Failed } from './attempts.ts';
import './review.css';

interface ReviewPanelProps {
  typeId: number;
  onClose: () => void;
}

const NOTHING_READ: ReadonlyMap<string, Current> = new Map();
const NOTHING_MEANWHILE: ReadonlyMap<number, Meanwhile> = new Map();
const PAGE = 50;

/** What is staged for a type, by entry and field: looked through, corrected, and sent in one request. */
export function ReviewPanel({ typeId, onClose: close }: ReviewPanelProps) {
  const schema = useSchema();
  const fields = schema.fieldsOf(typeId);
  const changes = useChanges(typeId);
  const cells = useMemo(() => stagedIn(changes), [changes]);
  const current = useQuery({ ...currentQuery(typeId, cells, fields), placeholderData: keepPreviousData });
  const going = useMemo(() => [...changes.deletions.values()], [changes.deletions]);
  const later = useQuery({ ...meanwhileQuery(typeId, going, fields), placeholderData: keepPreviousData });
  const { entries, deletions, total, overtaken, there, blocking } = useMemo(
    () => review(changes, fields, current.data ?? NOTHING_READ, later.data ?? NOTHING_MEANWHILE),
    [changes, fields, current.data, later.data],
  );
  const people = usePeopleNames(
    useMemo(() => overtaken.flatMap(({ theirs }) => theirs?.modifiedBy ?? []), [overtaken]),
  );
  const { send, failed, pending } = useSend(typeId);
  const deleting = useAllowed('deleteEntries');
  const [shown, setShown] = useState(PAGE);

  const onClose = () => {
    // Seen, unless it comes to nothing while nobody looks.
    if (!pending) putAttempt(typeId, { failed: undefined });
    close();
  };
  const save = async (ignoreNearDups = false) => {
    let isDone = false;
    const run = async () => {
      // What is there already would be refused for being no more what it was.
      keepMine(
        typeId,
        there.map(({ cell }) => ({ ...cell, before: cell.value })),
      );
      isDone = await send(ignoreNearDups);
    };
    if (total.deletions === 0) await run();
    else if (!(await passDoor(total, run))) return;
    if (isDone) onClose();
    else {
      // What somebody else has changed in this very moment is told with its value.
      void current.refetch();
      void later.refetch();
    }
  };
  const isEmpty = total.cells + total.deletions === 0;
  const changedSince = deletions.filter(({ meanwhile }) => meanwhile?.row).length;
  const blocked =
    (total.deletions > 0 ? deleting.reason : undefined) ??
    blockedBy({
      total,
      overtaken: overtaken.length + changedSince,
      blocking,
      doubtful: inDoubt(changes).length,
    });
  // What is on its way is neither undone nor taken out: it would be stored all the same.
  const busy = pending ? 'The changes are being saved' : undefined;
  const alive = overtaken.filter(({ theirs }) => theirs && theirs.gone === undefined);
  return (
    <Panel title={isEmpty ? 'Changes' : `Review ${stagedWords(total)}`} onClose={onClose}>
      <div className="review" inert={pending}>
        {changes.doubt && !pending && !isEmpty && (
          <DoubtBanner {...{ typeId, changes, fields }} doubt={changes.doubt} />
        )}
        {there.length > 0 && !pending && (
          <Banner title={`${counted(there.length, 'value is', 'values are')} there already`}>
            Somebody wrote the same, or it was saved and no answer came. Saving leaves them out.
          </Banner>
        )}
        {failed && !changes.doubt && (
          <FailedBanner failed={failed} pending={pending} onAgain={() => void save(true)} />
        )}
        {(current.error ?? later.error) && (
          <Banner tone="warn" title="What is there now could not be read">
            {toServiceError(current.error ?? later.error).message}. The service looks at it again when you
            save.
          </Banner>
        )}
        {overtaken.length > 0 && (
          <Banner
            tone="warn"
            title={`${counted(overtaken.length, 'value was', 'values were')} changed by somebody else meanwhile`}
            actions={
              <span className="review-both">
                <Button
                  size="small"
                  onClick={() =>
                    unstageCells(
                      typeId,
                      overtaken.map(({ cell }) => cell),
                      'Take theirs',
                    )
                  }
                >
                  Take all theirs
                </Button>
                {alive.length > 0 && (
                  <Button
                    size="small"
                    onClick={() =>
                      keepMine(
                        typeId,
                        alive.map(({ cell, theirs }) => ({ ...cell, before: theirs?.value })),
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
        {isEmpty && <p className="review-none">Nothing is staged.</p>}
        <Going {...{ typeId, schema, deletions }} afterValues={total.cells > 0} />
        {entries.slice(0, shown).map((entry) => (
          <ReviewEntry key={entry.entryId} {...{ typeId, entry, people }} />
        ))}
        {entries.length > shown && (
          <Button onClick={() => setShown(shown + PAGE)}>
            Show {count(Math.min(PAGE, entries.length - shown))} more entries
          </Button>
        )}
        <SentList typeId={typeId} />
      </div>
      <footer className="form-footer review-footer">
        <IconButton
          label="Undo"
          icon={Undo2}
          disabledReason={busy ?? (changes.done.length === 0 ? 'There is nothing to undo' : undefined)}
          onClick={() => undoStep(typeId)}
        />
        <IconButton
          label="Redo"
          icon={Redo2}
          disabledReason={busy ?? (changes.undone.length === 0 ? 'There is nothing to do again' : undefined)}
          onClick={() => redoStep(typeId)}
        />
        <span className="review-space" />
        {!isEmpty && (
          <>
            <Button disabledReason={busy} onClick={() => void discardAll(typeId)}>
              Discard all
            </Button>
            <Button
              variant={total.deletions > 0 ? 'danger' : 'primary'}
              pending={pending}
              disabledReason={blocked}
              onClick={() => void save()}
            >
              {saveWords(total)}
            </Button>
          </>
        )}
      </footer>
    </Panel>
  );
}

type Total = ReturnType<typeof countStaged>;

const saveWords = ({ cells, deletions }: Total): string =>
  [
    cells > 0 && `Save ${counted(cells, 'change', 'changes')}`,
    deletions > 0 && `${cells > 0 ? 'delete' : 'Delete'} ${counted(deletions, 'entry', 'entries')}`,
  ]
    .filter(Boolean)
    .join(' and ');

// More than one looks through at a glance: whoever deletes them writes the number.
const MANY = 20;

/** The last door: behind it only who runs the service brings entries back. */
const passDoor = (total: Total, run: () => Promise<unknown>): Promise<boolean> => {
  const isOne = total.deletions === 1;
  return passOneWayDoor({
    title: `Delete ${counted(total.deletions, 'entry', 'entries')} for good?`,
    final: `Undo does not bring ${isOne ? 'a deleted entry' : 'deleted entries'} back. Whoever runs the service can restore ${isOne ? 'it' : 'them'}; the history stays.`,
    breaks: `References to ${isOne ? 'it' : 'them'} are emptied, and links to ${isOne ? 'it' : 'them'} lead to a page that tells what became of ${isOne ? 'it' : 'them'}.`,
    affects: 'Whoever works with these entries here, and programs that read or write them.',
    ...(total.cells > 0 && {
      details: `${counted(total.cells, 'change is', 'changes are')} saved first; if they are refused, nothing is deleted.`,
    }),
    action: saveWords(total),
    cancel: 'Look again',
    ...(total.deletions > MANY && { typed: String(total.deletions) }),
    run,
  });
};

interface Standing {
  total: Total;
  overtaken: number;
  blocking: number;
  /** New entries that may have been made by a request that was not answered. */
  doubtful: number;
}

function blockedBy({ total, overtaken, blocking, doubtful }: Standing) {
  if (doubtful > 0)
    return `Say first whether ${doubtful === 1 ? 'the new entry is' : 'the new entries are'} there`;
  const most = Math.max(total.cells, total.deletions);
  if (most > MOST_ITEMS)
    return `One request takes ${count(MOST_ITEMS)}, and more than one would not be all or nothing: remove ${count(most - MOST_ITEMS)}`;
  if (overtaken > 0)
    return `Decide first about ${counted(overtaken, 'value', 'values')} that somebody else changed`;
  if (blocking > 0) return `${counted(blocking, 'value does', 'values do')} not fit yet`;
  return undefined;
}

interface FailedBannerProps {
  failed: Failed;
  pending: boolean;
  /** Sends it once more, names that are nearly those of others included. */
  onAgain: () => void;
}

/** What came of the last attempt: how far it went, and why no further. */
function FailedBanner({ failed, pending, onAgain }: FailedBannerProps) {
  const { at, message, refusals, saved, gone } = failed;
  if (at === 'deletions') {
    const done = [
      saved > 0 && `${counted(saved, 'change was', 'changes were')} saved`,
      gone > 0 && `${counted(gone, 'entry was', 'entries were')} deleted`,
    ].filter((one) => one !== false);
    return (
      <Banner tone="bad" title={gone > 0 ? 'Some entries were not deleted' : 'Nothing was deleted'}>
        {[...done, message].filter(Boolean).join('. ')}
        {done.length + message.length > 0 && '. '}What is below is still there, and can be sent again.
      </Banner>
    );
  }
  return (
    <Banner
      tone="bad"
      title="Nothing was saved"
      actions={
        refusals.isOnlyNear && (
          <Button size="small" pending={pending} onClick={onAgain}>
            Save anyway
          </Button>
        )
      }
    >
      {[message, ...refusals.rest].filter(Boolean).join('. ')}
      {refusals.faults.size > 0 &&
        ` The service refused ${counted(refusals.faults.size, 'value', 'values')}; everything is still here.`}
      {refusals.overtaken.length > 0 &&
        ' Somebody else was quicker: decide below what stays, and save again.'}
    </Banner>
  );
}
