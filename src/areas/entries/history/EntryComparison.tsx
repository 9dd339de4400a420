import { useQueries, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { EntryTypeVm, RowVm } from '../../../../contract/generated/types.gen.ts';
import { isFileField } from '../../../../contract/rules/schema/fields.ts';
import { toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { toast } from '../../../ui/toast.ts';
import { stageCells } from '../editing/change-set-store.ts';
import { CompareFilesButton } from '../files/CompareFilesButton.tsx';
import type { FileSide } from '../files/FileComparison.tsx';
import type { Field } from '../model/schema.ts';
import { getValue } from '../model/values.ts';
import { findDifferences, toDeletedFieldDifferences, isCaseOnly } from './differences.ts';
import type { Difference } from './differences.ts';
import { entryAsOfQuery, deletedFieldValuesQuery } from './history-queries.ts';
import type { Timestamps } from './timestamps.ts';
import { ValueExcerpt } from './ValueExcerpt.tsx';
import './history.css';

interface EntryComparisonProps {
  type: EntryTypeVm;
  entry: { id: number; name: string; row: RowVm; isDeleted: boolean };
  fields: readonly Field[];
  /** One or two timestamps in chronological order; a single one is compared with today. */
  timestamps: Timestamps;
  onClose: () => void;
}

/** A column of the comparison: the entry as of a time, or now. */
interface ComparisonSide {
  asOf: string | undefined;
  title: string;
  /** Null if the entry did not exist. */
  row: RowVm | null;
}

/** Comparison of an entry as of one time with another time or today, field by field, with restore buttons. */
export function EntryComparison(props: EntryComparisonProps) {
  const { type, entry, timestamps, onClose } = props;
  const results = useQueries({ queries: timestamps.map((at) => entryAsOfQuery(type.id, entry.id, at)) });
  const [first = '', second] = timestamps;
  const deletedFieldValues = useQuery(deletedFieldValuesQuery(type.id, entry.id, first, second));
  const failed = results.find(({ error }) => error !== null)?.error ?? deletedFieldValues.error;
  const sides = timestamps.flatMap((at, index): ComparisonSide[] => {
    const row = results[index]?.data;
    return row === undefined ? [] : [{ asOf: at, title: formatExactDate(at), row }];
  });
  const today: ComparisonSide = {
    asOf: undefined,
    title: entry.isDeleted ? 'When it was deleted' : 'Today',
    row: entry.row,
  };
  const [earlier, later = today] = sides;
  const isLoaded = sides.length === timestamps.length && deletedFieldValues.data !== undefined;
  const container = useRef<HTMLDivElement>(null);
  // Timestamps are selected further down the page, so the comparison is scrolled into view.
  useEffect(() => {
    // In braces: some browsers return a promise here, which React would take for a cleanup function.
    container.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={container} className="tm-compare">
      <Card
        title={timestamps.length === 1 ? 'Compared with today' : 'Two points in time compared'}
        actions={<IconButton label="Close comparison" icon={X} onClick={onClose} />}
      >
        {failed && <p className="ent-line field-error">{toServiceError(failed).message}</p>}
        {!failed && !isLoaded && <SkeletonRows rows={5} />}
        {earlier && isLoaded && (
          <ComparisonTable
            {...props}
            first={earlier}
            second={later}
            deletedFields={toDeletedFieldDifferences(deletedFieldValues.data, props.fields)}
          />
        )}
      </Card>
    </div>
  );
}

interface ComparisonTableProps extends EntryComparisonProps {
  first: ComparisonSide;
  second: ComparisonSide;
  /** Fields of the type deleted since. */
  deletedFields: readonly Difference[];
}

function ComparisonTable({
  type,
  entry,
  fields,
  timestamps,
  first,
  second,
  deletedFields,
}: ComparisonTableProps) {
  // One timestamp shows all fields at first, two show the different ones.
  const [showsAll, setShowsAll] = useState(timestamps.length === 1);
  const id = useId();
  const { reason } = usePermission('updateEntries');
  const differences = findDifferences(first.row ?? undefined, second.row ?? undefined, fields);
  const differentIds = new Set(differences.map(({ field }) => field.id));
  const visibleFields = showsAll ? fields : differences.map(({ field }) => field);
  const target = { type, entry };
  const refusal = entry.isDeleted ? 'Values of a deleted entry cannot be restored' : reason;
  const restore = (row: RowVm, restoredFields: readonly Field[]) => stageRestore(target, row, restoredFields);
  return (
    <>
      <div className="ent-line tm-summary" aria-live="polite">
        <span>
          {differences.length === 0
            ? 'All fields are equal'
            : pluralize(differences.length, 'field differs', 'fields differ')}
          {deletedFields.length > 0 &&
            ` · ${pluralize(deletedFields.length, 'field was', 'fields were')} deleted since`}
        </span>
        <Toggle kind="checkbox" id={id} label="Show all fields" checked={showsAll} onChange={setShowsAll} />
      </div>
      {visibleFields.length + deletedFields.length > 0 && (
        <div className="tm-scroll">
          <table className="tm-sides">
            <thead>
              <tr>
                <th scope="col">Field</th>
                {[first, second].map((side) => (
                  <th key={side.title} scope="col">
                    {side.title}
                    {side.row === null && <span className="tm-none"> · did not exist</span>}
                    {side.asOf !== undefined && side.row !== null && differences.length > 0 && (
                      <Button
                        size="small"
                        disabledReason={refusal}
                        onClick={() => side.row && restore(side.row, fields)}
                      >
                        Restore all fields
                      </Button>
                    )}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {visibleFields.map((field) => (
                <tr key={field.id} className={differentIds.has(field.id) ? 'tm-differs' : undefined}>
                  <th scope="row">
                    {field.name}
                    {differentIds.has(field.id) ? (
                      <span className="tm-note">
                        {isCaseOnly({
                          before: first.row ? getValue(first.row, field) : undefined,
                          after: second.row ? getValue(second.row, field) : undefined,
                        })
                          ? 'only case differs'
                          : 'differs'}
                      </span>
                    ) : null}
                    {differentIds.has(field.id) && isFileField(field.fieldType) && !entry.isDeleted && (
                      <CompareFilesButton
                        {...{ field }}
                        entryId={entry.id}
                        sides={[toFileSide(first, field), toFileSide(second, field)]}
                      />
                    )}
                  </th>
                  {[first, second].map((side) => (
                    <td key={side.title}>
                      <div className="tm-value">
                        <div>
                          {side.row === null ? (
                            <span className="tm-none">did not exist</span>
                          ) : (
                            <ValueExcerpt value={getValue(side.row, field)} field={field} />
                          )}
                        </div>
                        {side.asOf !== undefined && side.row !== null && differentIds.has(field.id) && (
                          <Button
                            size="small"
                            aria-label={`Restore ${field.name} of ${side.title}`}
                            disabledReason={refusal ?? getRestoreRefusal(field)}
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
              <DeletedFieldRows deletedFields={deletedFields} isSecondToday={second.asOf === undefined} />
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

const toFileSide = ({ title, asOf, row }: ComparisonSide, field: Field): FileSide => ({
  title,
  asOf,
  value: row === null ? undefined : getValue(row, field),
});

interface DeletedFieldRowsProps {
  deletedFields: readonly Difference[];
  /** Whether the second column is today, which does not have these fields. */
  isSecondToday: boolean;
}

/** Rows of the comparison for fields deleted since; their values cannot be restored. */
function DeletedFieldRows({ deletedFields, isSecondToday }: DeletedFieldRowsProps) {
  return deletedFields.map(({ field, before, after }) => (
    <tr key={field.id} className="tm-deleted-field">
      <th scope="row">
        {field.name}
        <Badge>field deleted since</Badge>
      </th>
      <td>
        <ValueExcerpt value={before} field={field} />
      </td>
      <td>
        {isSecondToday ? (
          <span className="tm-none">field deleted</span>
        ) : (
          <ValueExcerpt value={after} field={field} />
        )}
      </td>
    </tr>
  ));
}

interface RestoreTarget {
  type: EntryTypeVm;
  entry: { id: number; name: string; row: RowVm };
}

/** Reason why the value of a field cannot be restored; undefined if it can. */
function getRestoreRefusal(field: Field): string | undefined {
  if (field.isCalculated) return 'Calculated fields cannot be restored';
  if (isFileField(field.fieldType)) return 'Files have to be uploaded again';
  return field.isStoreRequestSupported ? undefined : 'The service assigns this field';
}

/** Stages the past values that differ from the current ones, to be reviewed and saved. */
function stageRestore({ type, entry }: RestoreTarget, row: RowVm, fields: readonly Field[]): void {
  const writable = fields.filter((field) => getRestoreRefusal(field) === undefined);
  const cells = findDifferences(entry.row, row, writable).map(({ field }) => ({
    entryId: entry.id,
    fieldId: field.id,
    entryName: entry.name,
    before: getValue(entry.row, field),
    value: getValue(row, field),
  }));
  if (cells.length === 0) {
    toast({ title: 'Nothing to restore', description: 'These values have not changed since.' });
    return;
  }
  stageCells(type.id, cells, `Restore ${pluralize(cells.length, 'value', 'values')} of ${entry.name}`);
  toast({
    title: `${pluralize(cells.length, 'value is', 'values are')} staged`,
    description: 'Nothing is saved before you review it.',
  });
}
