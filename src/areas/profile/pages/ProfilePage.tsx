import { UserRoundCog } from 'lucide-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { useSession } from '../../../api/session.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { ApiKeyCard } from './ApiKeyCard.tsx';
import { PasskeysCard } from './PasskeysCard.tsx';
import { TwoFactorCard } from './TwoFactorCard.tsx';
import { capabilities } from '../../../../contract/rules/capabilities.ts';
import { exactDate } from '../../../lib/dates.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import {
  endOtherSessionsMutation,
  endOwnSessionMutation,
  changePasswordMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { SessionInfo } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { deviceName } from '../../../lib/device.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { failureOf } from '../../../ui/feedback/failure.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { sessionsQuery } from '../model/queries.ts';
import { SessionList } from './SessionList.tsx';
import { zPasswordChange } from '../../../api/generated/zod.gen.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { PasswordField } from '../../../ui/form/PasswordField.tsx';
import './profile.css';

/** One's own account: who one is here, and everything that opens it. */
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
          <EmptyState icon={UserRoundCog} title={`You work as ${acting.principal.fullName}`}>
            Your own account stays as it is meanwhile. Stop working as them to change it.
          </EmptyState>
        </Card>
      ) : (
        <div className="profile-cols">
          <div className="profile-main">
            {isFederated ? (
              <Banner title="Your organization signed you in">
                Password, second factor and passkeys open your other sites as well: they are changed in a
                session that you open with one of them, on a site without an identity manager.
              </Banner>
            ) : (
              <>
                <TwoFactorCard />
                <PasskeysCard />
              </>
            )}
            <SessionsCard />
            <ApiKeyCard />
          </div>
          <div className="profile-side">
            <YouCard />
            {!isFederated && <PasswordCard />}
          </div>
        </div>
      )}
    </Page>
  );
}

/** Who is signed in, on which sites, and what they may do on this one. */
function YouCard() {
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
                {id === site.id && <Badge tone="accent">This one</Badge>}
              </li>
            ))}
          </ul>
        </Fact>
        {typeof membershipExpiresDate === 'string' && (
          <Fact label="Membership ends">{exactDate(membershipExpiresDate)}</Fact>
        )}
        <Fact label="Capabilities">
          {held.length === 0 ? (
            `Your groups give you none on ${site.name}`
          ) : (
            <details className="profile-may">
              <summary>
                {count(held.length)} on {site.name}
              </summary>
              <ul>
                {capabilities
                  .filter(({ name }) => held.includes(name))
                  .map(({ name, sentence }) => (
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

/** Where the person is signed in, on every site. */
function SessionsCard() {
  const { data: sessions } = useSuspenseQuery(sessionsQuery);
  const end = useWrite('endOwnSession', endOwnSessionMutation());
  const endOthers = useWrite('endOtherSessions', endOtherSessionsMutation());
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length;

  const endOne = async ({ id, userAgent }: SessionInfo): Promise<boolean> => {
    try {
      await end.mutateAsync({ path: { sessionId: id } });
    } catch (thrown) {
      toast({ tone: 'bad', title: 'The session has not ended', description: failureOf(thrown).message });
      return false;
    }
    toast({ title: `The session of ${deviceName(userAgent)} has ended` });
    return true;
  };
  const endAll = async () => {
    const done = await confirm({
      title: `End ${counted(others, 'other session', 'other sessions')}?`,
      body: 'Whoever works there has to sign in again; what was typed and not saved waits for that. This session goes on.',
      action: 'End all others',
      danger: true,
      run: () => endOthers.mutateAsync({}),
    });
    if (done) toast({ title: 'This is your only session now' });
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
        withSite={new Set(sessions.map(({ site }) => site.id)).size > 1}
        onEnd={endOne}
      />
      <p className="profile-foot profile-soft">
        Ten at once are the most: a new one ends the one that was used longest ago.
      </p>
    </Card>
  );
}

const EMPTY = { currentPassword: '', password: '' };

/** Another password, for whoever knows the present one. */
function PasswordCard() {
  const { user, site } = useSession();
  const change = useWrite('changePassword', changePasswordMutation());
  const form = useForm({ resolver: zodResolver(zPasswordChange), defaultValues: EMPTY });
  useUnsavedGuard(form.formState.isDirty);
  return (
    <Card title="Password">
      <CardBody>
        <Form
          form={form}
          pending={change.isPending}
          error={change.error}
          submit="Change password"
          onSubmit={(body) =>
            change.mutate(
              { body },
              {
                onSuccess({ ended }) {
                  form.reset(EMPTY);
                  toast({ title: 'Your password was changed', description: whatEnded(ended) });
                },
              },
            )
          }
        >
          <p className="profile-soft">
            {site.identityMode === 'identity-manager'
              ? `${site.name} signs people in through its identity manager: a password opens your other sites only.`
              : 'Every other session of yours ends; this one goes on.'}
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
            label="Present password"
            autoComplete="current-password"
          />
          <PasswordField
            control={form.control}
            name="password"
            label="New password"
            hint="At least 12 characters. A few words are good."
            autoComplete="new-password"
          />
        </Form>
      </CardBody>
    </Card>
  );
}

const whatEnded = (ended: number): string =>
  ended === 0 ? 'You had no other session.' : `${counted(ended, 'other session', 'other sessions')} ended.`;
