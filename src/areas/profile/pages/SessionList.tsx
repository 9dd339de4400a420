import type { SessionInfo } from '../../../../contract/generated/types.gen.ts';
import { formatDeviceName } from '../../../lib/device-name.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { useFocusTarget } from '../model/use-focus-target.ts';
import './profile.css';

const FACTOR_LABELS = {
  code: 'with a code',
  passkey: 'with a passkey',
  'recovery-code': 'with a recovery code',
} as const;

interface SessionListProps {
  sessions: readonly SessionInfo[];
  /** Whether to show the site of each session. */
  showSite: boolean;
  /** Reason why sessions cannot be ended. */
  disabledReason?: string | undefined;
  /** Resolves to whether the session was ended. */
  onEnd: (session: SessionInfo) => Promise<boolean>;
}

/** Sessions of a user, most recently used first. All but the current one can be ended. */
export function SessionList({ sessions, showSite, disabledReason, onEnd }: SessionListProps) {
  const { targetRef, focusTarget } = useFocusTarget<HTMLUListElement>();
  return (
    <ul ref={targetRef} className="profile-list profile-part" aria-label="Sessions" tabIndex={-1}>
      {sessions.map((session) => {
        const { id, site, createdDate, lastSeenDate, ipAddress, userAgent, isCurrent, verifiedBy } = session;
        const device = formatDeviceName(userAgent);
        return (
          <li key={id}>
            <div className="profile-what">
              <span className="profile-name">
                {device}
                {isCurrent && <Badge tone="accent">This session</Badge>}
              </span>
              <p>
                {showSite && `${site.name}, `}
                {ipAddress === null ? 'unknown address' : ipAddress}, signed in{' '}
                {verifiedBy !== null && `${FACTOR_LABELS[verifiedBy]} `}
                <Timestamp at={createdDate} />, last seen <Timestamp at={lastSeenDate} />
              </p>
            </div>
            {!isCurrent && (
              <Button
                size="small"
                removesRow
                aria-label={`End the session of ${device}${ipAddress === null ? '' : ` at ${ipAddress}`}`}
                disabledReason={disabledReason}
                onClick={() => void onEnd(session).then((hasEnded) => hasEnded && focusTarget())}
              >
                End
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
