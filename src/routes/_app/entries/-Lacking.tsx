import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import type { QueryObject } from '../../../entries/find/draft.ts';
import type { Field } from '../../../entries/schema.ts';
import { readRows } from '../../../entries/use-rows.ts';
import { counted } from '../../../lib/numbers.ts';

interface LackingProps {
  field: Field;
  fields: readonly Field[];
  type: EntryTypeVm;
  /** Asks for the entries that need the field and lack it. */
  query: QueryObject;
}

const AWHILE = 60_000;

/** How many entries lack a value that they need now, and the way to them (spec 4.6, requiredWhen). */
export function Lacking({ field, fields, type, query }: LackingProps) {
  const { allowed } = useAllowed('queryRowsByBody');
  const key = fields.find(({ isKey }) => isKey);
  const { data } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', lacking: field.id, query }],
    queryFn: async ({ signal }) =>
      (await readRows(type.id, { query, fields: key ? [key.apiName] : [], limit: 1 }, signal)).totalRecords,
    enabled: allowed,
    staleTime: AWHILE,
  });
  if (!allowed || data === undefined) return null;
  if (data === 0) return <p className="sch-line">Every entry that needs it has it.</p>;
  return (
    <p className="sch-line">
      <Link to="/entries/$type" params={{ type: type.apiName }} search={{ query }}>
        {counted(data, 'entry needs it and lacks it', 'entries need it and lack it')}
      </Link>
      : they stay as they are, and would be refused if they were written anew.
    </p>
  );
}
