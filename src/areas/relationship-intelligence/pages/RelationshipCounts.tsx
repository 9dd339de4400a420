import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { HeartHandshake } from 'lucide-react';
import { useState } from 'react';
import type { RelationshipUser } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listRelationshipUsersOptions } from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { personColumn } from '../../../directory/person-columns.tsx';
import { formatNumber } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { renderPages } from './RunsPage.tsx';

const COLUMNS: readonly Column<RelationshipUser>[] = [
  personColumn,
  {
    id: 'contacts',
    header: 'Contacts',
    width: 96,
    align: 'end',
    small: 'aside',
    cell: ({ relationships }) => formatNumber(relationships.contacts),
  },
  {
    id: 'sent',
    header: 'Sent',
    width: 96,
    align: 'end',
    cell: ({ relationships }) => formatNumber(relationships.sent),
  },
  {
    id: 'received',
    header: 'Received',
    width: 96,
    align: 'end',
    cell: ({ relationships }) => formatNumber(relationships.received),
  },
  {
    id: 'meetings',
    header: 'Meetings',
    width: 96,
    align: 'end',
    cell: ({ relationships }) => formatNumber(relationships.meetings),
  },
];

const PAGE_SIZE = 50;

/** Relationships of enabled people in numbers, for those who may not read with whom; `reason` names the missing capability. */
export function RelationshipCounts({ reason }: { reason: string }) {
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const typed = search.trim();
  const query = useQuery({
    ...listRelationshipUsersOptions({
      query: {
        isEnabled: true,
        pageNumber: page,
        pageSize: PAGE_SIZE,
        ...(typed !== '' && { search: typed }),
      },
    }),
    placeholderData: keepPreviousData,
  });
  const { data, error, isFetching, refetch } = query;
  return (
    <section className="ri-mailboxes">
      <Banner tone="info" title="Only numbers are shown">
        {reason} to see the contacts and their scores.
      </Banner>
      <div className="ri-mailboxes-bar">
        <SearchField
          label="Search people"
          placeholder="Name or e-mail"
          value={search}
          onChange={(text) => {
            setSearch(text);
            setPage(1);
          }}
        />
        <QueryAge query={query} />
      </div>
      <DataTable
        label="Numbers of relationships"
        columns={COLUMNS}
        rows={data?.users}
        rowId={({ userId }) => userId}
        rowLabel={({ name }) => name}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isFetching && data === undefined}
        empty={
          <EmptyState icon={HeartHandshake} title="No user is enabled">
            Imports of enabled people become relationships.
          </EmptyState>
        }
        onClearFilters={search === '' ? undefined : () => setSearch('')}
        footer={renderPages(page, PAGE_SIZE, data?.totalCount, setPage)}
      />
    </section>
  );
}
