import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Redo2, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../api/errors.ts';
import { count, counted } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { Panel } from '../../ui/dialog/Panel.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { usePeopleNames } from '../people.ts';
import { useSchema } from '../schema.ts';
import { stagedIn } from './changes.ts';
import { discardAll } from './discard.ts';
import { review } from './review.ts';
import { ReviewEntry } from './ReviewEntry.tsx';
import { MOST_ITEMS } from './send.ts';
import { SentList } from './SentList.tsx';
import { keepMine, redoStep, undoStep, unstageCells, useChanges } from './store.ts';
import { currentQuery } from './use-current.ts';
import type { Current } from './use-current.ts';
import { useSend } from './use-send.ts';
import './review.css';

interface ReviewPanelProps {
  typeId: number;
  onClose: () => void;
}

const NOTHING_READ: ReadonlyMap<string, Current> = new Map();
const PAGE = 50;

/** What is staged for a type, by entry and field: looked through, corrected, and sent in one request. */
export function ReviewPanel({ typeId, onClose }: ReviewPanelProps) {
  const schema = useSchema();
  const fields = schema.fieldsOf(typeId);
  const changes = useChanges(typeId);
  const cells = useMemo(() => stagedIn(changes), [changes]);
  const current = useQuery({ ...currentQuery(typeId, cells, fields), placeholderData: keepPreviousData });
  const { entries, total, overtaken, blocking } = useMemo(
    () => review(changes, fields, current.data ?? NOTHING_READ),
    [changes, fields, current.data],
  );
  const people = usePeopleNames(
    useMemo(() => overtaken.flatMap(({ theirs }) => theirs?.modifiedBy ?? []), [overtaken]),
  );
  const { send, failed, pending } = useSend(typeId);
  const [shown, setShown] = useState(PAGE);

  const save = async (ignoreNearDups = false) => {
    // What somebody else has changed in this very moment is told with its value.
    if (await send(ignoreNearDups)) onClose();
    else void current.refetch();
  };
  const reason = blockedBy({ total, overtaken: overtaken.length, blocking });
  // What is on its way is neither undone nor taken out: it would be stored all the same.
  const busy = pending ? 'The changes are being saved' : undefined;
  const alive = overtaken.filter(({ theirs }) => theirs && theirs.gone === undefined);
  return (
    <Panel
      title={total === 0 ? 'Changes' : `Review ${counted(total, 'change', 'changes')}`}
      onClose={onClose}
    >
      <div className="review" inert={pending}>
        {failed && (
          <Banner
            tone="bad"
            title="Nothing was saved"
            actions={
              failed.refusals.isOnlyNear && (
                <Button size="small" pending={pending} onClick={() => void save(true)}>
                  Save anyway
                </Button>
              )
            }
          >
            {[failed.error.fields.length === 0 && failed.error.message, ...failed.refusals.rest]
              .filter(Boolean)
              .join('. ')}
            {failed.refusals.faults.size > 0 &&
              ` The service refused ${counted(failed.refusals.faults.size, 'value', 'values')}; everything is still here.`}
            {failed.refusals.overtaken.length > 0 && ' Somebody else was quicker: decide below what stays.'}
          </Banner>
        )}
        {current.error && (
          <Banner tone="warn" title="What is there now could not be read">
            {toServiceError(current.error).message}. The service looks at it again when you save.
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
        {total === 0 && <p className="review-none">Nothing is staged.</p>}
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
        {total > 0 && (
          <>
            <Button disabledReason={busy} onClick={() => void discardAll(typeId, cells)}>
              Discard all
            </Button>
            <Button variant="primary" pending={pending} disabledReason={reason} onClick={() => void save()}>
              Save {counted(total, 'change', 'changes')}
            </Button>
          </>
        )}
      </footer>
    </Panel>
  );
}

function blockedBy({ total, overtaken, blocking }: { total: number; overtaken: number; blocking: number }) {
  if (total > MOST_ITEMS)
    return `One request takes ${count(MOST_ITEMS)} changes, and more than one would not be all or nothing: remove ${count(total - MOST_ITEMS)}`;
  if (overtaken > 0)
    return `Decide first about ${counted(overtaken, 'value', 'values')} that somebody else changed`;
  if (blocking > 0) return `${counted(blocking, 'value does', 'values do')} not fit yet`;
  return undefined;
}
