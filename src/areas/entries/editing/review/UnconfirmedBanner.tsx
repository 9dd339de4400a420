import { useQuery, queryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { pluralize } from '../../../../lib/numbers.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { Banner } from '../../../../ui/feedback/Banner.tsx';
import { Timestamp } from '../../../../ui/layout/Timestamp.tsx';
import { queryRows } from '../../model/entry-rows.ts';
import type { Field } from '../../model/schema.ts';
import { formatItem, toItems, getValue } from '../../model/values.ts';
import { resolveUnconfirmed, unstageCells } from '../change-set-store.ts';
import { getUnconfirmedNewIds } from '../change-set.ts';
import type { ChangeSet, UnconfirmedRequest } from '../change-set.ts';

interface UnconfirmedBannerProps {
  typeId: number;
  changes: ChangeSet;
  request: UnconfirmedRequest;
  fields: readonly Field[];
}

const RETRY_HINTS: Record<UnconfirmedRequest['part'], string> = {
  values: 'You can save again. Values that are stored already are left out.',
  deletions: 'You can send it again. Deleted entries stay deleted.',
};

/** Warning about an unanswered request, until the service answers or the user decides about possibly created entries. */
export function UnconfirmedBanner({ typeId, changes, request, fields }: UnconfirmedBannerProps) {
  const newEntryIds = getUnconfirmedNewIds(changes);
  return (
    <Banner tone="bad" title={`Unknown whether this was ${request.part === 'values' ? 'saved' : 'deleted'}`}>
      <p>
        The request was sent <Timestamp at={new Date(request.sentAt).toISOString()} />, without an answer.{' '}
        {newEntryIds.length === 0 ? (
          RETRY_HINTS[request.part]
        ) : (
          <NewEntriesNotice {...{ typeId, changes, newEntryIds, fields }} />
        )}
      </p>
      {newEntryIds.length > 0 && <NewEntriesDecision {...{ typeId, changes, newEntryIds }} />}
    </Banner>
  );
}

type NewEntriesProps = Pick<UnconfirmedBannerProps, 'typeId' | 'changes'> & {
  newEntryIds: readonly number[];
};

function NewEntriesDecision({ typeId, changes, newEntryIds }: NewEntriesProps) {
  const removeEntries = () => {
    const cells = newEntryIds.flatMap((entryId) => [...(changes.cells.get(entryId)?.values() ?? [])]);
    unstageCells(typeId, cells, 'Remove entries that exist');
    resolveUnconfirmed(typeId);
  };
  return (
    <span className="review-actions review-decision">
      <Button size="small" onClick={removeEntries}>
        {newEntryIds.length === 1 ? 'It exists: remove it here' : 'They exist: remove them here'}
      </Button>
      <Button size="small" onClick={() => resolveUnconfirmed(typeId)}>
        {newEntryIds.length === 1 ? 'It does not exist' : 'They do not exist'}
      </Button>
    </span>
  );
}

function NewEntriesNotice({
  typeId,
  changes,
  newEntryIds,
  fields,
}: NewEntriesProps & Pick<UnconfirmedBannerProps, 'fields'>) {
  const key = fields.find(({ isKey }) => isKey);
  const names = newEntryIds.flatMap((entryId) =>
    key ? toItems(changes.cells.get(entryId)?.get(key.id)?.value).map((name) => formatItem(name, key)) : [],
  );
  const { data } = useQuery(sameNameQuery(typeId, key, names));
  return (
    <>
      {pluralize(newEntryIds.length, 'new entry', 'new entries')} would be created twice if the request was
      saved. Check first whether {newEntryIds.length === 1 ? 'it exists' : 'they exist'}.
      {data && data.total === 0 && ' No entry has this name now.'}
      {data && data.total > 0 && (
        <>
          {' '}
          Entries with this name:{' '}
          {data.rows.map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ', '}
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

const MAX_NAMES = 100;
const MAX_LISTED = 10;

/** The newest entries with these names and their total number. */
const sameNameQuery = (typeId: number, key: Field | undefined, names: readonly string[]) =>
  queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeId, namesakes: names }],
    async queryFn({ signal }) {
      if (!key) return { total: 0, rows: [] };
      const { rows, totalRecords } = await queryRows(
        typeId,
        {
          query: { [key.apiName]: { $in: names.slice(0, MAX_NAMES) } },
          fields: ['EntryId', key.apiName],
          orderBy: '-EntryId',
          limit: MAX_LISTED,
        },
        signal,
      );
      const named = rows.map((row) => {
        const [name] = toItems(getValue(row, key));
        return { id: row.EntryId, name: name === undefined ? '' : formatItem(name, key) };
      });
      return { total: totalRecords, rows: named };
    },
    enabled: key !== undefined && names.length > 0,
    staleTime: 0,
    gcTime: 0,
  });
