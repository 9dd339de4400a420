import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { Plus, Radio } from 'lucide-react';
import { ServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';
import { formatRate, getRate } from '../model/format.ts';
import { activityQuery, consumersQuery, destinationsQuery, topicsQuery } from '../model/queries.ts';
import { ConsumersPage } from './ConsumersPage.tsx';
import { DestinationsPage } from './DestinationsPage.tsx';
import { TopicsPage } from './TopicsPage.tsx';
import './publications.css';

const route = getRouteApi('/_app/publications/{-$list}');

/** The lists of topics, consumers and destinations. */
export function PublicationsPage() {
  const { allowed, reason } = usePermission('listTopicDefinitions');
  if (!allowed) throw new ServiceError(403, reason);
  return <Lists />;
}

function Lists() {
  const { list } = route.useParams();
  const create = usePermission('createTopicDefinition');
  const destinationAccess = usePermission('listDestinations');
  const { data: topics } = useQuery(topicsQuery);
  const { data: activity } = useQuery(activityQuery);
  const { data: consumers } = useQuery(consumersQuery);
  const { data: destinations } = useQuery({ ...destinationsQuery, enabled: destinationAccess.allowed });
  const rate = activity?.reduce((sum, { hours }) => sum + getRate(hours), 0);
  return (
    <Page
      title="Publications"
      meta={
        topics && (
          <>
            {pluralize(topics.length, 'topic', 'topics')}
            {rate !== undefined && ` · ${formatRate(rate)} events a minute`}
          </>
        )
      }
      actions={
        <>
          <Link to="/publications/tail" className={buttonClass()}>
            <Radio />
            Live tail
          </Link>
          {create.allowed ? (
            <Link
              to="/publications/topics/$topicId"
              params={{ topicId: 'new' }}
              className={buttonClass({ variant: 'primary' })}
            >
              <Plus />
              New topic
            </Link>
          ) : (
            <Button variant="primary" icon={Plus} disabledReason={create.reason}>
              New topic
            </Button>
          )}
        </>
      }
    >
      <TabLinks label="Publications">
        <Link to="/publications" activeOptions={{ exact: true, includeSearch: false }}>
          Topics <Count of={topics} />
        </Link>
        <Link
          to="/publications/{-$list}"
          params={{ list: 'consumers' }}
          activeOptions={{ includeSearch: false }}
        >
          Consumers <Count of={consumers} />
        </Link>
        {destinationAccess.allowed && (
          <Link
            to="/publications/{-$list}"
            params={{ list: 'destinations' }}
            activeOptions={{ includeSearch: false }}
          >
            Destinations <Count of={destinations} />
          </Link>
        )}
      </TabLinks>
      {list === undefined && <TopicsPage />}
      {list === 'consumers' && <ConsumersPage />}
      {list === 'destinations' && <DestinationsPage />}
    </Page>
  );
}

function Count({ of }: { of: readonly unknown[] | undefined }) {
  return of ? <small className="num">{formatNumber(of.length)}</small> : null;
}
