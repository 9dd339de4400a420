import { useSuspenseQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { OwnSecurity } from '../../../../contract/generated/types.gen.ts';
import { regenerateRecoveryCodesMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { toast } from '../../../ui/toast.ts';
import { securityQuery } from '../model/queries.ts';
import { CodesDialog } from '../panels/CodesDialog.tsx';

const EnrolDialog = lazyWithPreload(() => import('../panels/EnrolDialog.tsx'));

/** With fewer codes left, the card suggests creating new ones. */
const FEW_CODES = 3;

const hasFactor = ({ authenticatorDate, passkeys }: OwnSecurity): boolean =>
  authenticatorDate !== null || passkeys.length > 0;

/** Authenticator app and recovery codes of the user (spec 2.1). */
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
            A site requires a second factor and you have none. You will set one up at your next sign-in.
          </Banner>
        </div>
      )}
      <CardRow
        title="Authenticator app"
        description={
          authenticatorDate === null ? (
            'Generates a code that is required besides your password at sign-in. Once set up, it can be replaced but not removed.'
          ) : (
            <>
              Set up <Timestamp at={authenticatorDate} />. Setting it up on another device replaces it.
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
  const codesLeft = security.recoveryCodesLeft;
  const regenerate = async () => {
    const done = await confirmIrreversible({
      title: 'Create new recovery codes?',
      irreversible: 'The new codes are shown once, and never again.',
      breaks:
        codesLeft === 0
          ? 'Nothing: no previous codes are left.'
          : `The ${pluralize(codesLeft, 'code', 'codes')} you have left no longer work.`,
      affects: 'Only you, on every site. You will get an e-mail.',
      action: 'Create new codes',
      run: async () => setCodes((await renew.mutateAsync({})).recoveryCodes),
    });
    if (done) toast({ title: 'The previous recovery codes no longer work' });
  };
  return (
    <>
      <CardRow
        title="Recovery codes"
        description={
          hasFactor(security)
            ? `${pluralize(codesLeft, 'code is', 'codes are')} left. Each replaces the second factor once.${codesLeft < FEW_CODES ? ' Create new ones before you run out.' : ''}`
            : 'You get them with the second factor. Each replaces it once.'
        }
        action={
          <Button
            disabledReason={hasFactor(security) ? undefined : 'Set up a second factor first'}
            onClick={() => void regenerate()}
          >
            Create new codes…
          </Button>
        }
      />
      {codes && <CodesDialog codes={codes} email={user.email} onClose={() => setCodes(undefined)} />}
    </>
  );
}
