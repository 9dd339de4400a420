import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { CopyButton } from '../button/CopyButton.tsx';
import './feedback.css';

interface ErrorStateProps {
  title: string;
  /** Consequences for the user. */
  children?: ReactNode;
  onRetry?: (() => void) | undefined;
  retrying?: boolean;
  /** Label of the retry button. */
  retryLabel?: string;
  requestId?: string | undefined;
}

/** Shown instead of content that failed to load: title, consequences, retry button, request id. */
export function ErrorState({
  title,
  children,
  onRetry,
  retrying = false,
  retryLabel = 'Try again',
  requestId,
}: ErrorStateProps) {
  return (
    <div className="notice notice-bad" role="alert">
      <CircleAlert />
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {onRetry && (
        <div className="notice-actions">
          <Button onClick={onRetry} pending={retrying}>
            {retryLabel}
          </Button>
        </div>
      )}
      {requestId !== undefined && <RequestId id={requestId} />}
    </div>
  );
}

/** Request id of a failed call with a copy button, for support. */
export function RequestId({ id }: { id: string }) {
  return (
    <span className="request-id">
      Request <code>{id}</code>
      <CopyButton value={id} label="Copy request id" />
    </span>
  );
}
