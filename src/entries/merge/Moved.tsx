import { useQueries } from '@tanstack/react-query';
import { toServiceError } from '../../api/errors.ts';
import type { RowVm } from '../../api/generated/types.gen.ts';
import { count, counted } from '../../lib/numbers.ts';
import { referringTo } from '../schema-words.ts';
import type { Field, Schema } from '../schema.ts';
import { readRows } from '../use-rows.ts';

/** How many entries refer to others through a field. */
const countQuery = (field: Field, ids: readonly number[]) => ({
  queryKey: [{ _id: 'queryRowsByBody', referring: field.id, ids }],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (
      await readRows(
        field.entryTypeId,
        { query: { [field.apiName]: { $in: [...ids] } }, fields: ['EntryId'], limit: 1 },
        signal,
      )
    ).totalRecords,
});

interface MovedProps {
  schema: Schema;
  typeId: number;
  away: readonly RowVm[];
  name: string;
}

/** What refers to the entries that go away, and will refer to the one that stays. */
export function Moved({ schema, typeId, away, name }: MovedProps) {
  const ids = away.map(({ EntryId }) => EntryId);
  const referring = ids.length === 0 ? [] : referringTo(typeId, schema);
  const answers = useQueries({ queries: referring.map((field) => countQuery(field, ids)) });
  const failed = answers.find(({ error }) => error !== null)?.error;
  if (failed) return <p className="field-error">{toServiceError(failed).message}</p>;
  if (answers.some(({ isPending }) => isPending)) return <p>Looking for what refers to them…</p>;
  const found = referring.flatMap((field, at) => {
    const total = answers[at]?.data ?? 0;
    return total > 0 ? [{ field, total }] : [];
  });
  if (found.length === 0) return <p>Nothing refers to the entries that go away.</p>;
  return (
    <>
      <p>
        {counted(
          found.reduce((sum, { total }) => sum + total, 0),
          'value refers to what goes away and will refer',
          'values refer to what goes away and will refer',
        )}{' '}
        to <bdi>{name}</bdi>:
      </p>
      <ul>
        {found.map(({ field, total }) => (
          <li key={field.id}>
            {field.name} of {count(total)} {schema.typeById.get(field.entryTypeId)?.pluralName ?? 'entries'}
          </li>
        ))}
      </ul>
    </>
  );
}
