import { X } from 'lucide-react';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { useStore } from '../../ui/store.ts';
import { actingEnded } from './ended.ts';

/** Says that the service has ended the acting; until it is read. */
export function EndedBanner() {
  const ended = useStore(actingEnded);
  if (!ended) return null;
  return (
    <div className="shell-banner" role="alert">
      <Banner
        tone="warn"
        title="You work as yourself again"
        actions={
          <IconButton label="Close message" icon={X} size="small" onClick={() => actingEnded.set(false)} />
        }
      >
        The service has ended the work in the other name: the assignment was removed, one of you was
        deactivated, or the session ended. What you have typed is still here, and saving it now is done in
        your own name.
      </Banner>
    </div>
  );
}
