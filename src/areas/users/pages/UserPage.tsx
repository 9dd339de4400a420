import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { count } from '../../../lib/numbers.ts';
import { WorkAsButton } from '../../../app/acting/WorkAsButton.tsx';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { StatusBadge } from '../../../directory/person-columns.tsx';
import { useDangerItems } from '../model/row-menu.ts';
import { useLicense, useUser } from './use-user.ts';
import { fullName } from '../model/user-query.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { useStore } from '../../../ui/store.ts';
import { copyText } from '../../../ui/button/copy.ts';
import { handOver } from '../model/hand-over.ts';
import type { Created } from '../model/hand-over.ts';
import './user.css';

/** One user: who they are and whether they may sign in, then one tab of what belongs to them. */
export function UserPage() {
  const router = useRouter();
  const user = useUser();
  const license = useLicense();
  const danger = useDangerItems(() => router.navigate({ to: '/users', ignoreBlocker: true }));
  const name = fullName(user);
  const params = { userId: user.id };
  return (
    <Page
      breadcrumbs={<Trail />}
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
            changed <Moment at={user.modifiedDate} />
          </span>
        </span>
      }
      actions={
        <>
          <WorkAsButton userId={user.id} firstName={user.firstName} />
          <MenuButton
            label={`Actions for ${name}`}
            variant="default"
            items={() => danger({ ...user, name })}
          />
        </>
      }
    >
      <HandOver userId={user.id} />
      <TabLinks label="User">
        <Link to="/users/$userId" params={params} activeOptions={{ exact: true, includeSearch: false }}>
          Profile
        </Link>
        <Link to="/users/$userId/license" params={params}>
          License <small>{license.description}</small>
        </Link>
        <Link to="/users/$userId/groups" params={params}>
          Groups <small>{count(user.groups.length)}</small>
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

const close = () => handOver.set(undefined);

function howTheyGetIn({ entry, email }: Created): string {
  if (entry === 'mailed')
    return `An e-mail with a link to set a password goes to ${email}. The link holds for 24 hours.`;
  if (entry === 'password') return 'Hand over the password you chose; it is not shown again.';
  return 'They sign in through the identity manager of this site.';
}

/** After creating somebody: what happens now, and their login to hand over. */
function HandOver({ userId }: { userId: number }) {
  const created = useStore(handOver);
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
          <IconButton label="Close message" icon={X} size="small" onClick={close} />
        </>
      }
    >
      {howTheyGetIn(created)}
      {!created.isActive && ' They are inactive: they can sign in only after you activate them.'}
    </Banner>
  );
}
