import { REMINDER_DAYS } from '../../contract/rules/invitations.ts';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../api/session.ts';
import { shortDate } from '../lib/dates.ts';
import { distance, isWithin } from '../lib/ends.ts';
import { IconButton } from '../ui/button/IconButton.tsx';
import { Banner } from '../ui/feedback/Banner.tsx';

// Early enough to ask for more days; from the day of the reminder on it is more than news.
const TOLD = 14;

/** Tells somebody whose membership ends by itself that it does so soon; hidden, it stays so until the page loads anew. */
export function MembershipEnd() {
  const { site, membershipExpiresDate: end } = useSession();
  const [hidden, setHidden] = useState(false);
  if (!end || hidden || !isWithin(end, TOLD)) return null;
  return (
    <div className="shell-banner">
      <Banner
        tone={isWithin(end, REMINDER_DAYS) ? 'warn' : 'info'}
        title={`Your membership of ${site.name} ends ${shortDate(end)}, ${distance(end)}`}
        actions={<IconButton label="Hide" icon={X} size="small" onClick={() => setHidden(true)} />}
      >
        Then you can no longer come here. Whoever manages its users can give you more days.
      </Banner>
    </div>
  );
}
