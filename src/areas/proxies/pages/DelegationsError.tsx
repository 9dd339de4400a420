import type { ServiceError } from '../../../api/errors.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';

interface DelegationsErrorProps {
  error: ServiceError;
  refetch: () => void;
  isFetching: boolean;
}

/** Wherever assignments are shown and cannot be. */
export const DelegationsError = ({ error, refetch, isFetching }: DelegationsErrorProps) => (
  <ErrorState
    title="The assignments could not be loaded"
    onRetry={refetch}
    retrying={isFetching}
    requestId={error.requestId}
  >
    {error.message}
  </ErrorState>
);
