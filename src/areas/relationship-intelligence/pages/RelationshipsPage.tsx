import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { HeartHandshake } from 'lucide-react';
import { useMemo } from 'react';
import type { Relationship } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listRelationshipsOptions } from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { usePeopleById } from '../../../directory/directory.ts';
import { PersonLink } from '../../../directory/person-columns.tsx';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { RemovableChip } from '../../../ui/table/filter/FilterChips.tsx';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import { RelationshipCounts } from './RelationshipCounts.tsx';
import {
  parseRelationshipsView,
  serializeRelationshipsView,
  startChangedFilter,
} from './relationships-view.ts';
import type { RelationshipsView } from './relationships-view.ts';
import { renderPages } from './RunsPage.tsx';
import './imports.css';

const COLUMNS: readonly Column<Relationship>[] = [
  {
    id: 'address',
    header: 'Contact',
    minWidth: 190,
    cell: ({ name, address, entryId, entryTypeId }, { tabIndex }) => (
      <span className="ri-contact" title={address}>
        {entryId === null || entryTypeId === null ? (
          (name ?? address)
        ) : (
          <Link
            to="/entries/$type/$entryId"
            params={{ type: String(entryTypeId), entryId }}
            tabIndex={tabIndex}
          >
            {name ?? address}
          </Link>
        )}{' '}
        {name !== null && name !== address && <small>{address}</small>}
      </span>
    ),
  },
  {
    id: 'score',
    header: 'Score',
    width: 84,
    align: 'end',
    small: 'aside',
    cell: ({ score }) => (
      <span className="ri-score">
        <i aria-hidden>
          <b style={{ inlineSize: `${score}%` }} />
        </i>
        <span className="num">{score}</span>
      </span>
    ),
  },
  {
    id: 'user',
    header: 'Person',
    minWidth: 150,
    cell: ({ userId, userName }, { tabIndex }) =>
      userName === null ? (
        `User ${userId}`
      ) : (
        <PersonLink id={userId} name={userName} to="/users/$userId" tabIndex={tabIndex} />
      ),
  },
  {
    id: 'reasons',
    header: 'Why',
    minWidth: 280,
    small: 'line',
    cell: ({ reasons }) => {
      const text = reasons.map(({ text: reason, points }) => `${reason} (${points})`).join(' · ');
      return <span title={text}>{text}</span>;
    },
  },
  { id: 'sent', header: 'Sent', width: 70, align: 'end', cell: ({ sent }) => formatNumber(sent) },
  {
    id: 'received',
    header: 'Received',
    width: 82,
    align: 'end',
    cell: ({ received }) => formatNumber(received),
  },
  {
    id: 'meetings',
    header: 'Meetings',
    width: 82,
    align: 'end',
    cell: ({ meetings }) => formatNumber(meetings),
  },
  {
    id: 'last',
    header: 'Last contact',
    width: 116,
    cell: ({ lastDate }, { tabIndex }) => <Timestamp at={lastDate} tabIndex={tabIndex} />,
  },
];

const route = getRouteApi('/_app/imports/relationships');
const PAGE_SIZE = 50;

/** Relationships by contact, or in numbers for those who may not read names. */
export function RelationshipsPage() {
  const { reason } = usePermission('listRelationships');
  const counts = usePermission('listRelationshipUsers');
  return reason !== undefined && counts.allowed ? (
    <RelationshipCounts reason={reason} />
  ) : (
    <RelationshipsTable />
  );
}

/** Relationships of a person, an address or a domain, the strongest first, with the reasons of their scores. */
function RelationshipsTable() {
  const search = route.useSearch();
  const urlView = useMemo(() => parseRelationshipsView(search), [search]);
  const navigate = route.useNavigate();
  const { view, show, type, settle } = useDebouncedView<RelationshipsView>({
    view: urlView,
    write: (next, replace) =>
      navigate({
        to: '.',
        search: serializeRelationshipsView(startChangedFilter(urlView, next)),
        replace,
      }),
  });
  const filter = {
    ...toFilter(urlView.q, urlView.userId),
    ...(urlView.entryId !== undefined && { entryId: urlView.entryId }),
  };
  const query = useQuery({
    ...listRelationshipsOptions({ query: { ...filter, pageNumber: urlView.page, pageSize: PAGE_SIZE } }),
    placeholderData: keepPreviousData,
  });
  const { data, error, isFetching, refetch } = query;
  const people = usePeopleById(view.userId === undefined ? NO_IDS : [view.userId]);
  const isFiltered = view.q !== '' || view.userId !== undefined || view.entryId !== undefined;
  return (
    <>
      <ListTable
        table="relationships"
        tools={<QueryAge query={query} />}
        filters={
          <>
            <SearchField
              label="Address or domain"
              placeholder="Address or domain"
              value={view.q}
              onChange={type}
              onBlur={settle}
            />
            {view.userId === undefined ? (
              <PersonPicker
                label="Person of this site"
                isLabelHidden
                placeholder="Person of this site"
                getDisabledReason={() => undefined}
                onSelect={(userId) => show({ ...view, userId })}
              />
            ) : (
              <RemovableChip
                label={people.get(view.userId)?.name ?? `User ${view.userId}`}
                onRemove={() => show({ ...view, userId: undefined })}
              />
            )}
            {view.entryId !== undefined && (
              <RemovableChip
                label={`Contact ${data?.relationships[0]?.name ?? view.entryId}`}
                onRemove={() => show({ ...view, entryId: undefined })}
              />
            )}
            {data && (
              <span className="ri-note num">
                {pluralize(data.totalCount, 'relationship', 'relationships')}
              </span>
            )}
          </>
        }
        label="Relationships"
        columns={COLUMNS}
        rows={data?.relationships}
        rowId={({ userId, address }) => `${userId} ${address}`}
        rowLabel={({ address }) => address}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isFetching && data === undefined}
        empty={
          <EmptyState icon={HeartHandshake} title="No relationships yet">
            Imported e-mails and meetings become relationships between people of the site and outside
            addresses.
          </EmptyState>
        }
        onClearFilters={
          isFiltered ? () => show({ q: '', userId: undefined, entryId: undefined, page: 1 }) : undefined
        }
        footer={renderPages(urlView.page, PAGE_SIZE, data?.totalCount, (page) => show({ ...view, page }))}
      />
    </>
  );
}

const NO_IDS: readonly number[] = [];

/** A text with @ is an address, any other a domain. */
const toFilter = (q: string, userId: number | undefined) => {
  const text = q.trim().toLowerCase();
  return {
    ...(userId !== undefined && { userId }),
    ...(text !== '' &&
      (text.includes('@') && !text.startsWith('@') ? { address: text } : { domain: text.replace(/^@/, '') })),
  };
};
