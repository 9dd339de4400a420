import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { WorkAsButton } from '../../../app/acting/WorkAsButton.tsx';
import { StatusBadge } from '../../../directory/person-columns.tsx';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton, copyText } from '../../../ui/button/CopyButton.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { useStore } from '../../../ui/store.ts';
import { useAccountMenuItems } from '../model/actions.ts';
import { createdUser } from '../model/created-user.ts';
import type { CreatedUser } from '../model/created-user.ts';
import { formatFullName } from '../model/user-query.ts';
import { useLicense, useUser } from './use-user.ts';
import './user.css';

/** Page of one user with tabs. */
export function UserPage() {
  const router = useRouter();
  const user = useUser();
  const license = useLicense();
  const getAccountItems = useAccountMenuItems(() => router.navigate({ to: '/users', ignoreBlocker: true }));
  const name = formatFullName(user);
  const params = { userId: user.id };
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      lead={<Avatar name={name} id={user.id} size="large" />}
      title={name}
      badge={<StatusBadge user={user} />}
      meta={
        <span className="user-facts">
          <span>{user.email}</span>
          <span>
            id {user.id} <CopyButton value={String(user.id)} label="Copy id" />
          </span>
          <span>{license.description}</span>
          <span>
            changed <Timestamp at={user.modifiedDate} />
          </span>
        </span>
      }
      actions={
        <>
          <WorkAsButton userId={user.id} firstName={user.firstName} />
          <MenuButton
            label={`Actions for ${name}`}
            variant="default"
            items={() => getAccountItems({ ...user, name })}
          />
        </>
      }
    >
      <CreatedUserBanner userId={user.id} />
      <TabLinks label="User">
        <Link to="/users/$userId" params={params} activeOptions={{ exact: true, includeSearch: false }}>
          Profile
        </Link>
        <Link to="/users/$userId/license" params={params}>
          License <small>{license.description}</small>
        </Link>
        <Link to="/users/$userId/groups" params={params}>
          Groups <small>{formatNumber(user.groups.length)}</small>
        </Link>
        <Link to="/users/$userId/proxies" params={params}>
          Proxies
        </Link>
        <Link to="/users/$userId/activity" params={params}>
          Activity
        </Link>
      </TabLinks>
      <Outlet />
    </Page>
  );
}

const closeBanner = () => createdUser.set(undefined);

function formatFirstSignIn({ firstSignIn, email }: CreatedUser): string {
  if (firstSignIn === 'mailed')
    return `An e-mail with a link to set a password goes to ${email}. The link is valid for 24 hours.`;
  if (firstSignIn === 'password') return 'Hand over the password you chose; it is not shown again.';
  return 'They sign in through the identity manager of this site.';
}

/** Message after creating a user: next steps and the login to hand over. */
function CreatedUserBanner({ userId }: { userId: number }) {
  const created = useStore(createdUser);
  if (created?.userId !== userId) return null;
  const login = `${location.origin}/sign-in\n${created.email}`;
  return (
    <Banner
      tone="ok"
      title={`${created.name} was created`}
      actions={
        <>
          <Button size="small" onClick={() => void copyText(login, 'Login copied')}>
            Copy login
          </Button>
          <IconButton label="Close message" icon={X} size="small" onClick={closeBanner} />
        </>
      }
    >
      {formatFirstSignIn(created)}
      {!created.isActive && ' They are inactive: they can sign in only after you activate them.'}
    </Banner>
  );
}
