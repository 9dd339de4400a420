import { useState } from 'react';
import { unreachableSince } from '../api/reach.ts';
import { clockTime } from '../lib/dates.ts';
import { Button } from '../ui/button/Button.tsx';
import { Banner } from '../ui/feedback/Banner.tsx';
import { useStore } from '../ui/store.ts';
import { tryAgain } from './reconnect.ts';

/** Says that no answer comes. What is on screen stays, and is not taken for empty. */
export function UnreachableBanner() {
  const since = useStore(unreachableSince);
  const [trying, setTrying] = useState(false);
  if (!since) return null;
  const now = async () => {
    setTrying(true);
    await tryAgain();
    setTrying(false);
  };
  return (
    <div className="shell-banner">
      <Banner
        tone="warn"
        title="The service cannot be reached"
        actions={
          <Button size="small" pending={trying} onClick={() => void now()}>
            Try now
          </Button>
        }
      >
        No answer since {clockTime(since)}. What you see stays as it was; the console tries again by itself.
      </Banner>
    </div>
  );
}
