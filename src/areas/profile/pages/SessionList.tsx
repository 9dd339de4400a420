import type { SessionInfo } from '../../../api/generated/types.gen.ts';
import { deviceName } from '../../../lib/device.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { useGoOn } from '../model/go-on.ts';
import './profile.css';

const FACTOR = {
  code: 'with a code',
  passkey: 'with a passkey',
  'recovery-code': 'with a recovery code',
} as const;

interface SessionListProps {
  sessions: readonly SessionInfo[];
  /** Whether the sites differ and are told. */
  withSite: boolean;
  /** Why none of them can be ended. */
  disabledReason?: string | undefined;
  /** Whether it has ended. */
  onEnd: (session: SessionInfo) => Promise<boolean>;
}

/** Sessions of one person, the one used last first; all but one's own can be ended. */
export function SessionList({ sessions, withSite, disabledReason, onEnd }: SessionListProps) {
  const { part, goOn } = useGoOn<HTMLUListElement>();
  return (
    <ul ref={part} className="profile-list profile-part" aria-label="Sessions" tabIndex={-1}>
      {sessions.map((session) => {
        const { id, site, createdDate, lastSeenDate, ipAddress, userAgent, isCurrent, verifiedBy } = session;
        const device = deviceName(userAgent);
        return (
          <li key={id}>
            <div className="profile-what">
              <span className="profile-name">
                {device}
                {isCurrent && <Badge tone="accent">This session</Badge>}
              </span>
              <p>
                {withSite && `${site.name}, `}
                {ipAddress === null ? 'address not known' : ipAddress}, signed in{' '}
                {verifiedBy !== null && `${FACTOR[verifiedBy]} `}
                <Moment at={createdDate} />, last seen <Moment at={lastSeenDate} />
              </p>
            </div>
            {!isCurrent && (
              <Button
                size="small"
                aria-label={`End the session of ${device}${ipAddress === null ? '' : ` at ${ipAddress}`}`}
                disabledReason={disabledReason}
                onClick={() => void onEnd(session).then((hasEnded) => hasEnded && goOn())}
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
