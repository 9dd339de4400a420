import { counted } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import type { Failed } from './attempts.ts';

interface FailedBannerProps {
  failed: Failed;
  pending: boolean;
  /** Sends it once more, names that are nearly those of others included. */
  onAgain: () => void;
}

/** What came of the last attempt: how far it went, and why no further. */
export function FailedBanner({ failed, pending, onAgain }: FailedBannerProps) {
  const { at, message, refusals, saved, gone } = failed;
  if (at === 'deletions') {
    const done = [
      saved > 0 && `${counted(saved, 'change was', 'changes were')} saved`,
      gone > 0 && `${counted(gone, 'entry was', 'entries were')} deleted`,
    ].filter((one) => one !== false);
    return (
      <Banner tone="bad" title={gone > 0 ? 'Some entries were not deleted' : 'Nothing was deleted'}>
        {[...done, message].filter(Boolean).join('. ')}
        {done.length + message.length > 0 && '. '}What is below is still there, and can be sent again.
      </Banner>
    );
  }
  return (
    <Banner
      tone="bad"
      title="Nothing was saved"
      actions={
        refusals.isOnlyNear && (
          <Button size="small" pending={pending} onClick={onAgain}>
            Save anyway
          </Button>
        )
      }
    >
      {[message, ...refusals.rest].filter(Boolean).join('. ')}
      {refusals.faults.size > 0 &&
        ` The service refused ${counted(refusals.faults.size, 'value', 'values')}; everything is still here.`}
      {refusals.overtaken.length > 0 &&
        ' Somebody else was quicker: decide below what stays, and save again.'}
    </Banner>
  );
}
