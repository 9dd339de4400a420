import { useSuspenseQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { regenerateRecoveryCodesMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { OwnSecurity } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { later } from '../../../ui/later.ts';
import { CodesDialog } from '../panels/CodesDialog.tsx';
import { securityQuery } from '../model/queries.ts';

const EnrolDialog = later(() => import('../panels/EnrolDialog.tsx'));

/** Fewer are soon none. */
const FEW = 3;

const hasFactor = ({ authenticatorDate, passkeys }: OwnSecurity): boolean =>
  authenticatorDate !== null || passkeys.length > 0;

/** The second factor of the person: the app, and the codes that stand in for it (spec 2.1). */
export function TwoFactorCard() {
  const { data: security } = useSuspenseQuery(securityQuery);
  const [enrolling, setEnrolling] = useState(false);
  const { authenticatorDate, twoFactorRequired } = security;
  const isOn = hasFactor(security);
  return (
    <Card
      title="Two-factor authentication"
      actions={
        <Badge tone={isOn ? 'ok' : twoFactorRequired ? 'warn' : 'neutral'}>{isOn ? 'On' : 'Off'}</Badge>
      }
    >
      {!isOn && twoFactorRequired && (
        <div className="profile-banner">
          <Banner tone="warn">
            A site asks you for a second factor, and you have none: your next sign-in begins with setting one
            up.
          </Banner>
        </div>
      )}
      <CardRow
        title="Authenticator app"
        description={
          authenticatorDate === null ? (
            'Shows a code that signing in asks for besides your password. Once set up, you can replace it, but not go back to the password alone.'
          ) : (
            <>
              The app was set up <Moment at={authenticatorDate} />. Setting it up on another device takes its
              place.
            </>
          )
        }
        action={
          <Button onClick={() => setEnrolling(true)}>
            {authenticatorDate === null ? 'Set up…' : 'Move to another device…'}
          </Button>
        }
      />
      <RecoveryRow security={security} />
      {enrolling && (
        <Suspense>
          <EnrolDialog onClose={() => setEnrolling(false)} />
        </Suspense>
      )}
    </Card>
  );
}

function RecoveryRow({ security }: { security: OwnSecurity }) {
  const { user } = useSession();
  const renew = useWrite('regenerateRecoveryCodes', regenerateRecoveryCodesMutation());
  const [codes, setCodes] = useState<readonly string[]>();
  const left = security.recoveryCodesLeft;
  const ask = async () => {
    const done = await passOneWayDoor({
      title: 'Make new recovery codes?',
      final: 'The new codes are shown once, and never again.',
      breaks:
        left === 0
          ? 'Nothing: none of the codes before is left.'
          : `The ${counted(left, 'code', 'codes')} that you still have work no longer.`,
      affects: 'You alone, on every site. You are told by e-mail.',
      action: 'Make new codes',
      run: async () => setCodes((await renew.mutateAsync({})).recoveryCodes),
    });
    if (done) toast({ title: 'The recovery codes before work no longer' });
  };
  return (
    <>
      <CardRow
        title="Recovery codes"
        description={
          hasFactor(security)
            ? `${counted(left, 'code is', 'codes are')} left. Each stands in for the second factor once.${left < FEW ? ' Make new ones before you need them.' : ''}`
            : 'They come with the second factor and stand in for it, each once.'
        }
        action={
          <Button
            disabledReason={hasFactor(security) ? undefined : 'Set up a second factor first'}
            onClick={() => void ask()}
          >
            Make new codes…
          </Button>
        }
      />
      {codes && <CodesDialog codes={codes} email={user.email} onClose={() => setCodes(undefined)} />}
    </>
  );
}
