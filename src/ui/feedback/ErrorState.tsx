import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { RequestId } from './RequestId.tsx';
import './feedback.css';

interface ErrorStateProps {
  title: string;
  /** What it means for the person's work. */
  children?: ReactNode;
  onRetry?: (() => void) | undefined;
  retrying?: boolean;
  /** What the button says, where trying again is something else. */
  retry?: string;
  requestId?: string | undefined;
}

/** What failed, what it means, how to try again, and the number to hand to whoever looks into it. */
export function ErrorState({
  title,
  children,
  onRetry,
  retrying = false,
  retry = 'Try again',
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
            {retry}
          </Button>
        </div>
      )}
      {requestId !== undefined && <RequestId id={requestId} />}
    </div>
  );
}
