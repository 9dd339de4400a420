import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ConfigurationChange } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listConfigurationChangesOptions } from '../../../api/generated/queries/activity.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { formatConfigurationAction } from './configuration-format.ts';
import './schema-changes.css';

const MAX_CHANGES = 6;

/** Latest changes of entry types and fields, with a link to all of them; nothing without the right to read them. */
export function SchemaChangesCard() {
  const { allowed } = usePermission('listConfigurationChanges');
  const { data, error, refetch, isFetching } = useQuery({
    ...listConfigurationChangesOptions({ query: { kinds: ['schema'], limit: MAX_CHANGES } }),
    enabled: allowed,
  });
  if (!allowed) return null;
  const failure = error === null || data ? undefined : toServiceError(error);
  return (
    <Card
      title="Schema changes"
      actions={
        <Link to="/activity/configuration" search={{ kind: 'schema' }}>
          All schema changes
        </Link>
      }
    >
      {!data && !failure && <SkeletonRows rows={4} />}
      {failure && (
        <ErrorState
          title="The schema changes could not be loaded"
          onRetry={() => void refetch()}
          retrying={isFetching}
          requestId={failure.requestId}
        >
          {failure.message}
        </ErrorState>
      )}
      {data?.changes.length === 0 && (
        <CardBody>
          <p className="field-hint">New, changed and deleted entry types and fields are listed here.</p>
        </CardBody>
      )}
      {data && data.changes.length > 0 && (
        <ol className="schema-changes" aria-label="Latest schema changes">
          {data.changes.map((change) => (
            <SchemaChange key={change.id} change={change} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function SchemaChange({ change }: { change: ConfigurationChange }) {
  const { changedBy, changedByName, proxyUserName, date } = change;
  const author = changedBy === null ? 'The service' : (changedByName ?? `User ${changedBy}`);
  return (
    <li>
      <Avatar name={author} id={changedBy ?? 0} />
      <span className="tbl-lines">
        <strong>{formatConfigurationAction(change)}</strong>
        <small>
          {proxyUserName === null ? author : `${proxyUserName} for ${author}`} · <Timestamp at={date} />
        </small>
      </span>
    </li>
  );
}
