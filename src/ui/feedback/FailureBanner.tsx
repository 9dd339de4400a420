import { Banner } from './Banner.tsx';
import { RequestId } from './ErrorState.tsx';
import type { Failure } from './failure.ts';

/** Banner of a failed call with its errors and the request id. */
export function FailureBanner({ failure }: { failure: Failure }) {
  return (
    <Banner tone="bad" title={failure.message}>
      {failure.fields && failure.fields.length > 0 && (
        <ul>
          {failure.fields.map(({ path, message }) => (
            <li key={`${path} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {failure.requestId !== undefined && <RequestId id={failure.requestId} />}
    </Banner>
  );
}
