import { toServiceError } from '../../../api/errors.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';

interface StaleRowsProps {
  title: string;
  /** Why rows could not be read. */
  error: unknown;
  onAgain: () => void;
  pending: boolean;
}

/** Says above rows that are there why others, or newer ones, are not. */
export function StaleRows({ title, error, onAgain, pending }: StaleRowsProps) {
  return (
    <div className="tbl-stale">
      <Banner
        tone="warn"
        title={title}
        actions={
          <Button size="small" onClick={onAgain} pending={pending}>
            Try again
          </Button>
        }
      >
        {toServiceError(error).message}
      </Banner>
    </div>
  );
}
