import type { ServiceError } from '../../api/errors.ts';
import type { useDirectory } from '../../directory/directory.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';

interface PeopleErrorProps extends Pick<ReturnType<typeof useDirectory>, 'refresh' | 'refreshing'> {
  error: ServiceError;
}

/** Error state for people who could not be loaded. */
export const PeopleError = ({ error, refresh, refreshing }: PeopleErrorProps) => (
  <ErrorState
    title="People could not be loaded"
    onRetry={refresh}
    retrying={refreshing}
    requestId={error.requestId}
  >
    {error.message}
  </ErrorState>
);
