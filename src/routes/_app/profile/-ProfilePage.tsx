import { UserRoundCog } from 'lucide-react';
import { useSession } from '../../../api/session.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { ApiKeyCard } from './-ApiKeyCard.tsx';
import { PasskeysCard } from './-PasskeysCard.tsx';
import { PasswordCard } from './-PasswordCard.tsx';
import { SessionsCard } from './-SessionsCard.tsx';
import { TwoFactorCard } from './-TwoFactorCard.tsx';
import { YouCard } from './-YouCard.tsx';
import './-profile.css';

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
