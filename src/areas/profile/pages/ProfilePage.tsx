import { zodResolver } from '@hookform/resolvers/zod';
import { useSuspenseQuery } from '@tanstack/react-query';
import { UserRoundCog } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type { SessionInfo, OwnSecurity } from '../../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../../contract/rules/people/capabilities.ts';
import {
  endOtherSessionsMutation,
  endOwnSessionMutation,
  changePasswordMutation,
  regenerateRecoveryCodesMutation,
} from '../../../api/generated/queries/access.gen.ts';
import { updateOwnProfileMutation } from '../../../api/generated/queries/users.gen.ts';
import { zPasswordChange } from '../../../api/generated/zod.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatDeviceName } from '../../../lib/device-name.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { PasswordField } from '../../../ui/form/PasswordField.tsx';
import { TimeZoneField } from '../../../ui/form/TimeZoneField.tsx';
import { trackInput } from '../../../ui/form/track-input.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody, Fact, Facts, CardRow } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { AgentsCard } from '../../agent/index.ts';
import { NotificationsCard } from '../../notifications/index.ts';
import { sessionsQuery, securityQuery } from '../model/queries.ts';
import { CodesDialog, EnrolDialog } from '../panels/EnrolDialog.tsx';
import { ApiKeyCard } from './ApiKeyCard.tsx';
import { PasskeysCard } from './PasskeysCard.tsx';
import { SessionList } from './SessionList.tsx';
import './profile.css';

/** The account of the signed-in user: identity, second factors, sessions, API key and password. */
export function ProfilePage() {
  const { user, acting, isFederated = false } = useSession();
  const name = `${user.firstName} ${user.lastName}`;
  return (
    <Page
      title="Your profile"
      lead={<Avatar name={name} id={user.id} size="large" />}
      meta={`${name}, ${user.email}`}
    >
      {acting ? (
        <Card>
          <EmptyState icon={UserRoundCog} title={`You are working as ${acting.principal.fullName}`}>
            Stop working as them to change your own account.
          </EmptyState>
        </Card>
      ) : (
        <div className="profile-cols">
          <div className="profile-main">
            {isFederated ? (
              <Banner title="Your organization signed you in">
                Your password, second factor and passkeys also open your other sites. To change them, sign in
                with one of them on a site without an identity manager.
              </Banner>
            ) : (
              <>
                <TwoFactorCard />
                <PasskeysCard />
              </>
            )}
            <SessionsCard />
            <ApiKeyCard />
            <AgentsCard />
            <NotificationsCard />
          </div>
          <div className="profile-side">
            <AccountCard />
            <TimeZoneCard />
            {!isFederated && <PasswordCard />}
          </div>
        </div>
      )}
    </Page>
  );
}

/** Name, sites and capabilities of the user. */
function AccountCard() {
  const { user, site, sites, membershipExpiresDate, capabilities: held } = useSession();
  return (
    <Card title="You">
      <Facts>
        <Fact label="Name">
          {user.firstName} {user.lastName}
        </Fact>
        <Fact label="E-mail">{user.email}</Fact>
        <Fact label="Sites">
          <ul className="profile-plain">
            {sites.map(({ id, name, role }) => (
              <li key={id}>
                {name} {role === 'administrator' && <Badge>Administrator</Badge>}{' '}
                {id === site.id && <Badge tone="accent">Current</Badge>}
              </li>
            ))}
          </ul>
        </Fact>
        {typeof membershipExpiresDate === 'string' && (
          <Fact label="Membership ends">{formatExactDate(membershipExpiresDate)}</Fact>
        )}
        <Fact label="Capabilities">
          {held.length === 0 ? (
            `Your groups grant none on ${site.name}`
          ) : (
            <details className="profile-may">
              <summary>
                {formatNumber(held.length)} on {site.name}
              </summary>
              <ul>
                {capabilities
                  .filter(({ name }) => held.includes(name))
                  .map(({ name, description: sentence }) => (
                    <li key={name}>
                      <strong>{name}</strong>
                      {sentence}
                    </li>
                  ))}
              </ul>
            </details>
          )}
        </Fact>
      </Facts>
    </Card>
  );
}

const timeZoneSchema = z.object({ timeZone: z.string() });

/** Form for the time zone of the user on this site (spec 4.4). */
function TimeZoneCard() {
  const { user, site } = useSession();
  const save = useWrite('updateOwnProfile', updateOwnProfileMutation());
  const form = useForm({
    resolver: zodResolver(timeZoneSchema),
    values: { timeZone: user.timeZone ?? '' },
    resetOptions: { keepDirtyValues: true },
  });
  useUnsavedGuard(form.formState.isDirty);
  return (
    <Card title="Time zone">
      <CardBody>
        <Form
          form={form}
          pending={save.isPending}
          error={save.error}
          submitLabel="Save time zone"
          keepsInput
          onSubmit={(values) => {
            const takeStored = trackInput(form);
            save.mutate(
              { body: { timeZone: values.timeZone === '' ? null : values.timeZone } },
              {
                onSuccess() {
                  takeStored(values);
                  toast({ title: 'Your time zone was saved' });
                },
              },
            );
          }}
        >
          <TimeZoneField
            control={form.control}
            name="timeZone"
            label="Your time zone"
            current={user.timeZone}
            siteZone={site.timeZone}
            hint={`Dates with a time of entries on ${site.name} are shown in it. Programs with your key use it with dateTimeBehavior=1.`}
          />
        </Form>
      </CardBody>
    </Card>
  );
}

/** Sessions of the user on all sites. */
function SessionsCard() {
  const { data: sessions } = useSuspenseQuery(sessionsQuery);
  const end = useWrite('endOwnSession', endOwnSessionMutation());
  const endOthers = useWrite('endOtherSessions', endOtherSessionsMutation());
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length;

  const endOne = async ({ id, userAgent }: SessionInfo): Promise<boolean> => {
    try {
      await end.mutateAsync({ path: { sessionId: id } });
    } catch (thrown) {
      toastFailedWrite('The session', 'ended', thrown);
      return false;
    }
    toast({ title: `The session of ${formatDeviceName(userAgent)} has ended` });
    return true;
  };
  const endAll = async () => {
    const done = await confirm({
      title: `End ${pluralize(others, 'other session', 'other sessions')}?`,
      body: 'You’ll be signed out everywhere else; unsaved input there is kept until you sign in again.',
      action: 'End all others',
      danger: true,
      run: () => endOthers.mutateAsync({}),
    });
    if (done) toast({ title: 'All other sessions were ended' });
  };
  return (
    <Card
      title="Sessions and devices"
      actions={
        <Button
          size="small"
          disabledReason={others === 0 ? 'You have no other session' : undefined}
          onClick={() => void endAll()}
        >
          End all others…
        </Button>
      }
    >
      <SessionList
        sessions={sessions}
        showSite={new Set(sessions.map(({ site }) => site.id)).size > 1}
        onEnd={endOne}
      />
      <p className="profile-foot profile-soft">
        Up to 10 sessions at a time. A new one replaces the least recently used.
      </p>
    </Card>
  );
}

const EMPTY_VALUES = { currentPassword: '', password: '' };

/** Form to change the password. */
function PasswordCard() {
  const { user, site } = useSession();
  const change = useWrite('changePassword', changePasswordMutation());
  const form = useForm({ resolver: zodResolver(zPasswordChange), defaultValues: EMPTY_VALUES });
  useUnsavedGuard(form.formState.isDirty);
  return (
    <Card title="Password">
      <CardBody>
        <Form
          form={form}
          pending={change.isPending}
          error={change.error}
          submitLabel="Change password"
          onSubmit={(body) =>
            change.mutate(
              { body },
              {
                onSuccess({ ended }) {
                  form.reset(EMPTY_VALUES);
                  toast({ title: 'Your password was changed', description: formatEndedSessions(ended) });
                },
              },
            )
          }
        >
          <p className="profile-soft">
            {site.identityMode === 'identity-manager'
              ? `${site.name} uses an identity manager for sign-in: the password opens your other sites only.`
              : 'Your other sessions will end; this one continues.'}
          </p>
          {/* A password manager stores the new password under this name. */}
          <input
            type="email"
            name="username"
            autoComplete="username"
            defaultValue={user.email}
            readOnly
            hidden
          />
          <PasswordField
            control={form.control}
            name="currentPassword"
            label="Current password"
            autoComplete="current-password"
          />
          <PasswordField
            control={form.control}
            name="password"
            label="New password"
            hint="At least 12 characters. Several words work well."
            autoComplete="new-password"
          />
        </Form>
      </CardBody>
    </Card>
  );
}

const formatEndedSessions = (ended: number): string =>
  ended === 0
    ? 'You had no other sessions.'
    : `${pluralize(ended, 'other session', 'other sessions')} ended.`;

/** With fewer codes left, the card suggests creating new ones. */
const FEW_CODES = 3;

const hasFactor = ({ authenticatorDate, passkeys }: OwnSecurity): boolean =>
  authenticatorDate !== null || passkeys.length > 0;

/** Authenticator app and recovery codes of the user (spec 2.1). */
function TwoFactorCard() {
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
      {enrolling && <EnrolDialog onClose={() => setEnrolling(false)} />}
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
