import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { FIELD } from '../../../../../contract/rules/schema/fields.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { IconButton } from '../../../../ui/button/IconButton.tsx';
import { Badge } from '../../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../../ui/layout/Timestamp.tsx';
import { useDayShift } from '../../model/DateText.tsx';
import type { Field } from '../../model/schema.ts';
import { getRememberedField } from '../../model/schema.ts';
import { formatValue } from '../../model/values.ts';
import { useTimeZone } from '../../model/zone.ts';
import { keepOwnValues, unstageCells } from '../change-set-store.ts';
import type { CurrentCell } from '../current-cells.ts';
import { excerptDifference, describeSubtleDifference } from '../format-changes.ts';
import type { ReviewedCell, ReviewedEntry } from './review-change-set.ts';

type UserNames = ReadonlyMap<number, string>;

interface ReviewEntryProps {
  typeId: number;
  entry: ReviewedEntry;
  userNames: UserNames;
}

/** The staged cells of one entry with buttons to remove them. */
export function ReviewEntry({
  typeId,
  entry: { entryId, name, cells, missingMessages },
  userNames,
}: ReviewEntryProps) {
  const remove = () =>
    unstageCells(
      typeId,
      cells.map(({ cell }) => cell),
      `Remove the changes of ${name}`,
    );
  return (
    <section className="review-entry" aria-label={name}>
      <header>
        <h3>
          {entryId > 0 ? (
            <Link to="/entries/$type/$entryId" params={{ type: String(typeId), entryId }}>
              <bdi>{name}</bdi>
            </Link>
          ) : (
            <bdi>{name}</bdi>
          )}
        </h3>
        {entryId < 0 && <Badge tone="info">New</Badge>}
        <IconButton label={`Remove the changes of ${name}`} icon={X} size="small" onClick={remove} />
      </header>
      {missingMessages.map((message) => (
        <p key={message} className="field-error">
          {message}
        </p>
      ))}
      <ul>
        {cells.map((reviewed) => (
          <CellChange key={reviewed.cell.fieldId} {...{ typeId, reviewed, people: userNames }} />
        ))}
      </ul>
    </section>
  );
}

/** Stands in for a deleted field that this page never loaded. */
const UNKNOWN_FIELD = { fieldType: FIELD.text, isMoney: false, isDateOnly: false };

interface CellChangeProps {
  typeId: number;
  reviewed: ReviewedCell;
  people: UserNames;
}

function CellChange({ typeId, reviewed: { cell, field, error, theirs }, people }: CellChangeProps) {
  const { name: zone } = useTimeZone();
  const shownField = field ?? getRememberedField(cell.fieldId);
  const format = (value: typeof cell.value) => formatValue(value, shownField ?? UNKNOWN_FIELD, zone);
  const oldText = format(cell.before);
  const newText = cell.invalidInput?.text ?? format(cell.value);
  const [before, after] = excerptDifference(oldText, newText);
  const subtleDifference = describeSubtleDifference(oldText, newText);
  const label = shownField?.name ?? `Field ${cell.fieldId}`;
  const dayShift = useDayShift({ value: cell.value, field: shownField ?? UNKNOWN_FIELD });
  return (
    <li className="review-change">
      <div className="review-line">
        <strong>{label}</strong>
        <span className="review-values">
          {cell.entryId > 0 && (
            <>
              <del>{before === '' ? 'no data' : <bdi>{before}</bdi>}</del>
              <span aria-label="becomes"> → </span>
            </>
          )}
          <ins>{after === '' ? 'no data' : <bdi>{after}</bdi>}</ins>
        </span>
        <IconButton
          label={`Remove the change of ${label}`}
          icon={X}
          size="small"
          onClick={() => unstageCells(typeId, [cell], `Remove the change of ${label}`)}
        />
      </div>
      {subtleDifference !== undefined && <Badge tone="info">{subtleDifference}</Badge>}
      {dayShift !== undefined && <p className="field-hint ed-shift">{dayShift}</p>}
      {error !== undefined && <p className="field-error">{error}</p>}
      {theirs && field && <ConflictChoice {...{ typeId, cell, field, theirs, people, zone }} />}
    </li>
  );
}

interface ConflictChoiceProps {
  typeId: number;
  cell: ReviewedCell['cell'];
  field: Field;
  theirs: CurrentCell;
  people: UserNames;
  zone: string;
}

/** Choice between the staged value and the conflicting value of someone else. */
function ConflictChoice({ typeId, cell, field, theirs, people, zone }: ConflictChoiceProps) {
  const takeTheirs = () => unstageCells(typeId, [cell], 'Take theirs');
  if (theirs.deletedMessage !== undefined)
    return (
      <div className="review-conflict">
        <p>Deleted: {theirs.deletedMessage}</p>
        <Button size="small" onClick={takeTheirs}>
          Remove change
        </Button>
      </div>
    );
  const [, theirText] = excerptDifference(
    formatValue(cell.value, field, zone),
    formatValue(theirs.value, field, zone),
  );
  const author =
    theirs.modifiedBy === undefined ? 'A calculation' : (people.get(theirs.modifiedBy) ?? 'Someone else');
  return (
    <div className="review-conflict">
      <p>
        <bdi>{author}</bdi> changed it to{' '}
        <strong>{theirText === '' ? 'no data' : <bdi>{theirText}</bdi>}</strong>
        {theirs.modified !== undefined && (
          <>
            , <Timestamp at={theirs.modified} />
          </>
        )}
      </p>
      <span className="review-actions">
        <Button size="small" onClick={takeTheirs}>
          Take theirs
        </Button>
        <Button size="small" onClick={() => keepOwnValues(typeId, [{ ...cell, before: theirs.value }])}>
          Keep yours
        </Button>
      </span>
    </div>
  );
}
