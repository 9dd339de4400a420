import { useQueries, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import type { EntryTypeVm, RowVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { exactDate } from '../../../lib/dates.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Check } from '../../../ui/form/Check.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import type { Field } from '../model/schema.ts';
import { valueIn } from '../model/values.ts';
import { differencesOf, goneDifferences, isCaseOnly } from './differences.ts';
import type { Difference } from './differences.ts';
import { Shown } from './Shown.tsx';
import type { Moments } from './moments.ts';
import { entryAtQuery, goneValuesQuery } from './timeline.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { isFileField } from '../../../../contract/rules/fields.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { stageCells } from '../editing/store.ts';
import './time.css';

interface CompareProps {
  type: EntryTypeVm;
  entry: { id: number; name: string; row: RowVm; isDeleted: boolean };
  fields: readonly Field[];
  /** One or two, in the order of time; beside a single one stands today. */
  moments: Moments;
  onClose: () => void;
}

/** A column of the comparison: the entry at a moment, or as it is. */
interface Side {
  at: string | undefined;
  title: string;
  /** Null: it was not there. */
  row: RowVm | null;
}

/** The entry at one moment beside another one or today, field by field, and the way back. */
export function Compare(props: CompareProps) {
  const { type, entry, moments, onClose } = props;
  const answers = useQueries({ queries: moments.map((at) => entryAtQuery(type.id, entry.id, at)) });
  const [first = '', second] = moments;
  const gone = useQuery(goneValuesQuery(type.id, entry.id, first, second));
  const failed = answers.find(({ error }) => error !== null)?.error ?? gone.error;
  const sides = moments.flatMap((at, index): Side[] => {
    const row = answers[index]?.data;
    return row === undefined ? [] : [{ at, title: exactDate(at), row }];
  });
  const today: Side = {
    at: undefined,
    title: entry.isDeleted ? 'When it went away' : 'Today',
    row: entry.row,
  };
  const [one, other = today] = sides;
  const isThere = sides.length === moments.length && gone.data !== undefined;
  const place = useRef<HTMLDivElement>(null);
  // Moments are picked further down the page: what they are about must not open out of sight.
  useEffect(() => {
    // In braces: a browser may answer a promise here, which is no clean-up.
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} className="tm-compare">
      <Card
        title={moments.length === 1 ? 'As it was, beside today' : 'Two moments side by side'}
        actions={<IconButton label="Close the comparison" icon={X} onClick={onClose} />}
      >
        {failed && <p className="ent-line field-error">{toServiceError(failed).message}</p>}
        {!failed && !isThere && <SkeletonRows rows={5} />}
        {one && isThere && (
          <Sides {...props} one={one} other={other} gone={goneDifferences(gone.data, props.fields)} />
        )}
      </Card>
    </div>
  );
}

interface SidesProps extends CompareProps {
  one: Side;
  other: Side;
  /** Fields that were deleted since. */
  gone: readonly Difference[];
}

function Sides({ type, entry, fields, moments, one, other, gone }: SidesProps) {
  // One moment is looked at whole; of two, what differs.
  const [all, setAll] = useState(moments.length === 1);
  const id = useId();
  const { reason } = useAllowed('updateEntries');
  const differing = differencesOf(one.row ?? undefined, other.row ?? undefined, fields);
  const isDifferent = new Set(differing.map(({ field }) => field.id));
  const shown = all ? fields : differing.map(({ field }) => field);
  const target = { type, entry };
  const why = entry.isDeleted ? 'Nothing is written to an entry that is gone' : reason;
  const restore = (row: RowVm, which: readonly Field[]) => stageRestored(target, row, which);
  return (
    <>
      <div className="ent-line tm-summary" aria-live="polite">
        <span>
          {differing.length === 0
            ? 'Every field is the same'
            : counted(differing.length, 'field differs', 'fields differ')}
          {gone.length > 0 && ` · ${counted(gone.length, 'field was', 'fields were')} deleted since`}
        </span>
        <Check kind="checkbox" id={id} label="Show all fields" checked={all} onChange={setAll} />
      </div>
      {shown.length + gone.length > 0 && (
        <div className="tm-scroll">
          <table className="tm-sides">
            <thead>
              <tr>
                <th scope="col">Field</th>
                {[one, other].map((side) => (
                  <th key={side.title} scope="col">
                    {side.title}
                    {side.row === null && <span className="tm-none"> · not there</span>}
                    {side.at !== undefined && side.row !== null && differing.length > 0 && (
                      <Button
                        size="small"
                        disabledReason={why}
                        onClick={() => side.row && restore(side.row, fields)}
                      >
                        Restore all of this moment
                      </Button>
                    )}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((field) => (
                <tr key={field.id} className={isDifferent.has(field.id) ? 'tm-differs' : undefined}>
                  <th scope="row">
                    {field.name}
                    {isDifferent.has(field.id) ? (
                      <span className="tm-note">
                        {isCaseOnly({
                          before: one.row ? valueIn(one.row, field) : undefined,
                          after: other.row ? valueIn(other.row, field) : undefined,
                        })
                          ? 'case of letters'
                          : 'differs'}
                      </span>
                    ) : null}
                  </th>
                  {[one, other].map((side) => (
                    <td key={side.title}>
                      <div className="tm-held">
                        <div>
                          {side.row === null ? (
                            <span className="tm-none">not there</span>
                          ) : (
                            <Shown value={valueIn(side.row, field)} field={field} />
                          )}
                        </div>
                        {side.at !== undefined && side.row !== null && isDifferent.has(field.id) && (
                          <Button
                            size="small"
                            aria-label={`Restore ${field.name} of ${side.title}`}
                            disabledReason={why ?? whyNotRestored(field)}
                            onClick={() => side.row && restore(side.row, [field])}
                          >
                            Restore
                          </Button>
                        )}
                      </div>
                    </td>
                  ))}
                </tr>
              ))}
              <GoneSides gone={gone} besideToday={other.at === undefined} />
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

interface GoneSidesProps {
  gone: readonly Difference[];
  /** The second side is of today, which has no such fields. */
  besideToday: boolean;
}

/** Rows of the comparison for fields that were deleted since: their values are looked at, and not brought back. */
function GoneSides({ gone, besideToday }: GoneSidesProps) {
  return gone.map(({ field, before, after }) => (
    <tr key={field.id} className="tm-gone">
      <th scope="row">
        {field.name}
        <Badge>field deleted since</Badge>
      </th>
      <td>
        <Shown value={before} field={field} />
      </td>
      <td>
        {besideToday ? <span className="tm-none">field deleted</span> : <Shown value={after} field={field} />}
      </td>
    </tr>
  ));
}

interface Target {
  type: EntryTypeVm;
  entry: { id: number; name: string; row: RowVm };
}

/** Why the value of a field cannot be brought back by writing it; undefined where it can. */
function whyNotRestored(field: Field): string | undefined {
  if (field.isCalculated) return 'A calculated field follows from the others';
  if (isFileField(field.fieldType)) return 'Files are brought back by uploading them again';
  return field.isStoreRequestSupported ? undefined : 'The service numbers this field itself';
}

/** Stages the values of a moment where they differ from today's: they are reviewed and sent like any other change. */
function stageRestored({ type, entry }: Target, row: RowVm, fields: readonly Field[]): void {
  const writable = fields.filter((field) => whyNotRestored(field) === undefined);
  const cells = differencesOf(entry.row, row, writable).map(({ field }) => ({
    entryId: entry.id,
    fieldId: field.id,
    entryName: entry.name,
    before: valueIn(entry.row, field),
    value: valueIn(row, field),
  }));
  if (cells.length === 0) {
    toast({ title: 'Nothing to restore', description: 'These values are the same today.' });
    return;
  }
  stageCells(type.id, cells, `Restore ${counted(cells.length, 'value', 'values')} of ${entry.name}`);
  toast({
    title: `${counted(cells.length, 'value is', 'values are')} staged`,
    description: 'Nothing is saved before you have reviewed it.',
  });
}
