import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Field } from '../model/schema.ts';
import { useZone } from '../model/zone.ts';
import { lastKnown } from './last-known.ts';
import type { Reviewed, ReviewedEntry } from './review.ts';
import { keepMine, unstageCells } from './store.ts';
import type { Current } from './use-current.ts';
import { excerpts, subtleDifference, wordsOf } from './words.ts';

type People = ReadonlyMap<number, string>;

interface ReviewEntryProps {
  typeId: number;
  entry: ReviewedEntry;
  people: People;
}

/** The staged cells of one entry. */
export function ReviewEntry({ typeId, entry: { entryId, name, cells, lacks }, people }: ReviewEntryProps) {
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
      {lacks.map((message) => (
        <p key={message} className="field-error">
          {message}
        </p>
      ))}
      <ul>
        {cells.map((reviewed) => (
          <Change key={reviewed.cell.fieldId} {...{ typeId, reviewed, people }} />
        ))}
      </ul>
    </section>
  );
}

/** Of a field that this page never knew there is no more than what its values say themselves. */
const UNKNOWN = { fieldType: FIELD.text, isMoney: false, isDateOnly: false };

interface ChangeProps {
  typeId: number;
  reviewed: Reviewed;
  people: People;
}

function Change({ typeId, reviewed: { cell, field, fault, theirs }, people }: ChangeProps) {
  const { name: zone } = useZone();
  const called = field ?? lastKnown(cell.fieldId);
  const words = (value: typeof cell.value) => wordsOf(value, called ?? UNKNOWN, zone);
  const [was, is] = [words(cell.before), cell.misfit?.text ?? words(cell.value)];
  const [before, after] = excerpts(was, is);
  const subtle = subtleDifference(was, is);
  const label = called?.name ?? `Field ${cell.fieldId}`;
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
      {subtle !== undefined && <Badge tone="info">{subtle}</Badge>}
      {fault !== undefined && <p className="field-error">{fault}</p>}
      {theirs && field && <Theirs {...{ typeId, cell, field, theirs, people, zone }} />}
    </li>
  );
}

interface TheirsProps {
  typeId: number;
  cell: Reviewed['cell'];
  field: Field;
  theirs: Current;
  people: People;
  zone: string;
}

/** What somebody else has made of a cell meanwhile: one of both stays. */
function Theirs({ typeId, cell, field, theirs, people, zone }: TheirsProps) {
  const take = () => unstageCells(typeId, [cell], 'Take theirs');
  if (theirs.gone !== undefined)
    return (
      <div className="review-theirs">
        <p>Deleted meanwhile: {theirs.gone}</p>
        <Button size="small" onClick={take}>
          Remove the change
        </Button>
      </div>
    );
  const [, words] = excerpts(wordsOf(cell.value, field, zone), wordsOf(theirs.value, field, zone));
  const who = theirs.modifiedBy === undefined ? 'A calculation' : people.get(theirs.modifiedBy);
  return (
    <div className="review-theirs">
      <p>
        <bdi>{who ?? `User ${theirs.modifiedBy ?? ''}`}</bdi> made it{' '}
        <strong>{words === '' ? 'no data' : <bdi>{words}</bdi>}</strong>
        {theirs.modified !== undefined && (
          <>
            , <Moment at={theirs.modified} />
          </>
        )}
      </p>
      <span className="review-both">
        <Button size="small" onClick={take}>
          Take theirs
        </Button>
        <Button size="small" onClick={() => keepMine(typeId, [{ ...cell, before: theirs.value }])}>
          Keep yours
        </Button>
      </span>
    </div>
  );
}
