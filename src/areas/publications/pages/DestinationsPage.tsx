import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { Plus, Send } from 'lucide-react';
import { useState } from 'react';
import type { Destination } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Distance } from '../../../ui/layout/Distance.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { toast } from '../../../ui/toast.ts';
import { describeHealth } from '../model/destinations.ts';
import { destinationsQuery } from '../model/queries.ts';
import { DestinationPanel, SecretDialog } from './DestinationPanel.tsx';
import { useDestinationMenu } from './use-destination-menu.tsx';
import './publications.css';

const route = getRouteApi('/_app/publications/{-$list}');

const COLUMNS: readonly Column<Destination>[] = [
  {
    id: 'name',
    header: 'Destination',
    minWidth: 180,
    cell: ({ id, name }, { tabIndex }) => (
      <Link
        to="/publications/destinations/$destinationId"
        params={{ destinationId: id }}
        className="pub-name"
        tabIndex={tabIndex}
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'topic',
    header: 'Topic',
    width: 160,
    small: 'line',
    cell: ({ topicId, topicName }, { tabIndex }) => (
      <Link to="/publications/topics/$topicId" params={{ topicId }} tabIndex={tabIndex}>
        {topicName}
      </Link>
    ),
  },
  {
    id: 'address',
    header: 'Address',
    minWidth: 220,
    small: 'line',
    cell: ({ url }) => <span className="mono">{url}</span>,
  },
  {
    id: 'health',
    header: 'Health',
    width: 220,
    small: 'aside',
    cell: (destination) => {
      const { tone, label } = describeHealth(destination);
      const { lostEvents } = destination;
      return (
        <>
          <Badge tone={tone}>{label}</Badge>
          {lostEvents > 0 && <small className="pub-bad"> {formatNumber(lostEvents)} lost</small>}
        </>
      );
    },
  },
  { id: 'lag', header: 'To deliver', width: 110, align: 'end', cell: ({ lag }) => formatNumber(lag) },
  {
    id: 'next',
    header: 'Next attempt',
    width: 130,
    cell: ({ nextAttemptDate }, { tabIndex }) =>
      typeof nextAttemptDate === 'string' ? <Distance to={nextAttemptDate} tabIndex={tabIndex} /> : null,
  },
];

const getId = ({ id }: Destination) => id;
const getName = ({ name }: Destination) => name;

/** Addresses to which events are pushed, with their health. */
export function DestinationsPage() {
  const { allowed, reason } = usePermission('listDestinations');
  if (!allowed) throw new ServiceError(403, reason);
  return <Destinations />;
}

function Destinations() {
  const create = usePermission('createDestination');
  const navigate = route.useNavigate();
  const query = useQuery(destinationsQuery);
  const { data, error, isFetching, refetch } = query;
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<Destination>();
  const menu = useDestinationMenu();
  const button = (
    <Button icon={Plus} disabledReason={create.reason} onClick={() => setIsCreating(true)}>
      New destination
    </Button>
  );
  return (
    <>
      <ListTable
        table="destinations"
        tools={button}
        label="Destinations"
        columns={COLUMNS}
        rows={data}
        rowId={getId}
        rowLabel={getName}
        rowMenu={menu}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isFetching && error !== null}
        footer={
          <>
            Events are sent one by one, in the order of the topic. <QueryAge query={query} />
          </>
        }
        empty={
          <EmptyState icon={Send} title="No destinations yet">
            A destination gets the events of a topic pushed to its address, so that no program has to poll.
          </EmptyState>
        }
      />
      {isCreating && (
        <DestinationPanel
          onClose={() => setIsCreating(false)}
          onSaved={(destination) => {
            setIsCreating(false);
            // Only a webhook has a key.
            if (destination.secret !== undefined) setCreated(destination);
            else toast({ title: `${destination.name} was created` });
          }}
        />
      )}
      {created && (
        <SecretDialog
          destination={created}
          onClose={() => {
            setCreated(undefined);
            void navigate({
              to: '/publications/destinations/$destinationId',
              params: { destinationId: created.id },
              // The dialog has asked.
              ignoreBlocker: true,
            });
          }}
        />
      )}
    </>
  );
}
