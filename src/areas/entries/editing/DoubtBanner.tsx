import { useQuery, queryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Field } from '../model/schema.ts';
import { itemText, itemsOf, valueIn } from '../model/values.ts';
import { inDoubt } from './changes.ts';
import type { Changes, Doubt } from './changes.ts';
import { decidedOf, unstageCells } from './store.ts';
import { readRows } from '../model/use-rows.ts';

interface DoubtBannerProps {
  typeId: number;
  changes: Changes;
  doubt: Doubt;
  fields: readonly Field[];
}

const SAFE: Record<Doubt['part'], string> = {
  values: 'Saving once more is safe: what is there already is left out, and what is not is told.',
  deletions: 'Sending it again is safe: what is gone stays gone.',
};

/** Stands until the service has answered, or somebody has decided about the entries that it would make twice. */
export function DoubtBanner({ typeId, changes, doubt, fields }: DoubtBannerProps) {
  const made = inDoubt(changes);
  return (
    <Banner
      tone="bad"
      title={`It is not known whether this was ${doubt.part === 'values' ? 'saved' : 'deleted'}`}
    >
      <p>
        It was sent <Moment at={new Date(doubt.at).toISOString()} />, and no answer came.{' '}
        {made.length === 0 ? SAFE[doubt.part] : <Made {...{ typeId, changes, made, fields }} />}
      </p>
      {made.length > 0 && <Decide {...{ typeId, changes, made }} />}
    </Banner>
  );
}

type MadeProps = Pick<DoubtBannerProps, 'typeId' | 'changes'> & { made: readonly number[] };

function Decide({ typeId, changes, made }: MadeProps) {
  const letGo = () => {
    const cells = made.flatMap((entryId) => [...(changes.cells.get(entryId)?.values() ?? [])]);
    unstageCells(typeId, cells, 'Let go of entries that are there');
    decidedOf(typeId);
  };
  return (
    <span className="review-both review-decide">
      <Button size="small" onClick={letGo}>
        {made.length === 1 ? 'It is there: remove it here' : 'They are there: remove them here'}
      </Button>
      <Button size="small" onClick={() => decidedOf(typeId)}>
        {made.length === 1 ? 'It is not there' : 'They are not there'}
      </Button>
    </span>
  );
}

function Made({ typeId, changes, made, fields }: MadeProps & Pick<DoubtBannerProps, 'fields'>) {
  const key = fields.find(({ isKey }) => isKey);
  const names = made.flatMap((entryId) =>
    key ? itemsOf(changes.cells.get(entryId)?.get(key.id)?.value).map((name) => itemText(name, key)) : [],
  );
  const { data } = useQuery(namesakesQuery(typeId, key, names));
  return (
    <>
      {counted(made.length, 'new entry', 'new entries')} would be made twice if it was saved: say first
      whether {made.length === 1 ? 'it is' : 'they are'} there.
      {data && data.total === 0 && ' No entry is called so now.'}
      {data && data.total > 0 && (
        <>
          {' '}
          Called so now:{' '}
          {data.rows.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <Link to="/entries/$type/$entryId" params={{ type: String(typeId), entryId: id }}>
                <bdi>{name}</bdi>
              </Link>
            </span>
          ))}
          {data.total > data.rows.length && ` and ${data.total - data.rows.length} more`}.
        </>
      )}
    </>
  );
}

// So many names are asked for, and so many entries named.
const MOST_NAMES = 100;
const SHOWN = 10;

/** The newest entries that are called so now, and how many there are. */
const namesakesQuery = (typeId: number, key: Field | undefined, names: readonly string[]) =>
  queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeId, namesakes: names }],
    async queryFn({ signal }) {
      if (!key) return { total: 0, rows: [] };
      const { rows, totalRecords } = await readRows(
        typeId,
        {
          query: { [key.apiName]: { $in: names.slice(0, MOST_NAMES) } },
          fields: ['EntryId', key.apiName],
          orderBy: '-EntryId',
          limit: SHOWN,
        },
        signal,
      );
      const named = rows.map((row) => {
        const [name] = itemsOf(valueIn(row, key));
        return { id: row.EntryId, name: name === undefined ? '' : itemText(name, key) };
      });
      return { total: totalRecords, rows: named };
    },
    enabled: key !== undefined && names.length > 0,
    staleTime: 0,
    gcTime: 0,
  });
