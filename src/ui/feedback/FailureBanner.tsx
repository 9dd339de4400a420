import { Banner } from './Banner.tsx';
import { RequestId } from './RequestId.tsx';
import type { Failure } from './failure.ts';

/** A failure in words, with the errors that belong to no field and the request id to copy. */
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
