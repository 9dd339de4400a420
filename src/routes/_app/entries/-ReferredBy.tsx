import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toServiceError } from '../../../api/errors.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { referringTo } from '../../../entries/schema-words.ts';
import type { Field, Schema } from '../../../entries/schema.ts';
import { readRows } from '../../../entries/use-rows.ts';
import { itemText, itemsOf, valueIn } from '../../../entries/values.ts';
import { count } from '../../../lib/numbers.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import type { Entry } from './-entry-query.ts';

interface ReferredByProps {
  schema: Schema;
  type: EntryTypeVm;
  entry: Entry;
}

const FIRST = 5;
/** Each field that may refer is a question of its own. */
const MOST_FIELDS = 40;

function questionOf(field: Field, schema: Schema, entryId: number) {
  const key = schema.fieldsOf(field.entryTypeId).find(({ isKey }) => isKey);
  return {
    queryKey: [{ _id: 'queryRowsByBody', referring: field.id, entryId }],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      readRows(
        field.entryTypeId,
        { query: { [field.apiName]: entryId }, fields: key ? [key.apiName] : ['EntryId'], limit: FIRST },
        signal,
      ),
  };
}

/** The entries that refer to this one, by the field that does. */
export function ReferredBy({ schema, type, entry }: ReferredByProps) {
  const all = referringTo(type.id, schema);
  const referring = all.slice(0, MOST_FIELDS);
  const answers = useQueries({ queries: referring.map((field) => questionOf(field, schema, entry.id)) });
  const waiting = answers.some(({ isPending }) => isPending);
  const failed = answers.find(({ error }) => error !== null)?.error;
  const total = answers.reduce((sum, { data }) => sum + (data?.totalRecords ?? 0), 0);
  return (
    <Card title={waiting || failed ? 'Referred to by' : `Referred to by ${count(total)}`}>
      {failed && <p className="ent-line field-error">{toServiceError(failed).message}</p>}
      {waiting && <SkeletonRows rows={2} />}
      {all.length === 0 && (
        <p className="ent-line ent-quiet">No field of any type refers to {type.pluralName}.</p>
      )}
      {referring.map((field, at) => {
        const data = answers[at]?.data;
        return data ? <FromField key={field.id} {...{ field, schema, entry, data }} /> : null;
      })}
      {all.length > referring.length && (
        <p className="ent-line ent-quiet">
          {count(all.length - referring.length)} more fields may refer to it and were not asked.
        </p>
      )}
    </Card>
  );
}

interface FromFieldProps {
  field: Field;
  schema: Schema;
  entry: Entry;
  data: Awaited<ReturnType<typeof readRows>>;
}

function FromField({ field, schema, entry, data }: FromFieldProps) {
  const from = schema.typeById.get(field.entryTypeId);
  if (!from) return null;
  const key = schema.fieldsOf(from.id).find(({ isKey }) => isKey);
  const { totalRecords, rows } = data;
  return (
    <div className="ent-line">
      <p>
        {field.name} of {totalRecords === 1 ? from.singularName : from.pluralName}: {count(totalRecords)}
      </p>
      <ul>
        {rows.map((row) => {
          const [name] = key ? itemsOf(valueIn(row, key)) : [];
          return (
            <li key={row.EntryId}>
              <Link to="/entries/$type/$entryId" params={{ type: from.apiName, entryId: row.EntryId }}>
                <bdi>{key && name !== undefined ? itemText(name, key) : `Entry ${row.EntryId}`}</bdi>
              </Link>
            </li>
          );
        })}
      </ul>
      {totalRecords > rows.length && (
        <Link
          to="/entries/$type"
          params={{ type: from.apiName }}
          search={{ query: { [field.apiName]: entry.id } }}
        >
          Show all {count(totalRecords)}
        </Link>
      )}
    </div>
  );
}
