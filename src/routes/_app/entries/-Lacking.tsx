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
// Each is a question of its own to the service.
const MOST_COUNTED = 20;

const isNeeded = ({ isRequired, isKey, requiredWhen }: Field): boolean =>
  (isRequired && !isKey) || (requiredWhen !== null && requiredWhen !== undefined);

/** How many entries lack a value that they need now, and the way to them (spec 4.6, requiredWhen). */
export function Lacking({ field, fields, type, query }: LackingProps) {
  const { allowed } = useAllowed('queryRowsByBody');
  const counts = fields.filter(isNeeded).length <= MOST_COUNTED;
  const key = fields.find(({ isKey }) => isKey);
  const { data } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', lacking: field.id, query }],
    queryFn: async ({ signal }) =>
      (await readRows(type.id, { query, fields: key ? [key.apiName] : [], limit: 1 }, signal)).totalRecords,
    enabled: allowed && counts,
    staleTime: AWHILE,
  });
  if (!allowed || (counts && data === undefined)) return null;
  if (data === 0) return <p className="sch-line">Every entry that needs it has it.</p>;
  return (
    <p className="sch-line">
      <Link to="/entries/$type" params={{ type: type.apiName }} search={{ query }}>
        {data === undefined
          ? 'Show entries that lack it'
          : counted(data, 'entry needs it and lacks it', 'entries need it and lack it')}
      </Link>
      {data !== undefined && ': they stay as they are, and would be refused if they were written anew.'}
    </p>
  );
}
