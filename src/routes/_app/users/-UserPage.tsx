import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { count } from '../../../lib/numbers.ts';
import { WorkAsButton } from '../../../shell/acting/WorkAsButton.tsx';
import { Trail } from '../../../shell/Trail.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { StatusBadge } from '../-person-columns.tsx';
import { HandOver } from './-HandOver.tsx';
import { useDangerItems } from './-row-menu.ts';
import { useLicense, useUser } from './-use-user.ts';
import { fullName } from './-user-query.ts';
import './-user.css';

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
