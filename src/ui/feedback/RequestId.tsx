import { CopyButton } from '../button/CopyButton.tsx';
import './feedback.css';

/** The number to hand to whoever looks into a failure. */
export function RequestId({ id }: { id: string }) {
  return (
    <span className="request-id">
      Request <code>{id}</code>
      <CopyButton value={id} label="Copy request id" />
    </span>
  );
}
