import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { Pencil, UserPlus } from 'lucide-react';
import { capabilities } from '../../../../contract/rules/capabilities.ts';
import { useAllowed } from '../../../api/session.ts';
import { capabilitiesOf } from '../../../directory/groups.ts';
import { counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { useGroupReason } from '../model/group-capabilities.ts';
import { Members } from './Members.tsx';
import { useDeleteItem } from '../model/row-menu.ts';
import { useGroup } from './use-group.ts';
import './group-page.css';

/** One group: what it gives, and who is in it. */
export function GroupPage() {
  const router = useRouter();
  const group = useGroup();
  const given = capabilitiesOf(group);
  const update = useAllowed('updateGroup');
  const deletion = useDeleteItem(() => router.navigate({ to: '/groups', ignoreBlocker: true }));
  const params = { groupId: group.id };
  return (
    <Page
      fill
      breadcrumbs={<Trail />}
      title={group.name}
      meta={
        <span className="group-facts">
          <span>{counted(group.userCount, 'member', 'members')}</span>
          <span>
            id {group.id} <CopyButton value={String(group.id)} label="Copy id" />
          </span>
          {typeof group.entryId === 'number' && <span>entry {group.entryId}</span>}
        </span>
      }
      actions={
        <>
          {update.allowed ? (
            <Link to="/groups/$groupId/edit" params={params} search={(now) => now} className={buttonClass()}>
              <Pencil />
              Edit
            </Link>
          ) : (
            <Button icon={Pencil} disabledReason={update.reason}>
              Edit
            </Button>
          )}
          <AddPeople given={given} groupId={group.id} />
          <MenuButton
            label={`Actions for ${group.name}`}
            variant="default"
            items={() => [deletion(group, given)]}
          />
        </>
      }
    >
      {(group.description ?? '') !== '' && <p className="group-description">{group.description}</p>}
      <div className="group-cols">
        <Members group={group} given={given} />
        <div className="group-side">
          <Gives given={given} />
        </div>
      </div>
      <Outlet />
    </Page>
  );
}

type Given = ReturnType<typeof capabilitiesOf>;

function AddPeople({ given, groupId }: { given: Given; groupId: number }) {
  const { reason } = useAllowed('assignGroups');
  const holds = useGroupReason();
  const why = reason ?? holds(given);
  if (why !== undefined) {
    return (
      <Button variant="primary" icon={UserPlus} disabledReason={why}>
        Add people
      </Button>
    );
  }
  return (
    <Link
      to="/groups/$groupId/add"
      params={{ groupId }}
      search={(now) => now}
      className={buttonClass({ variant: 'primary' })}
    >
      <UserPlus />
      Add people
    </Link>
  );
}

/** What being in the group lets a person do, with the words of each capability. */
function Gives({ given }: { given: Given }) {
  return (
    <Card title={`Gives ${counted(given.length, 'capability', 'capabilities')}`}>
      {given.length === 0 ? (
        <p className="card-body group-quiet">
          Being in it changes nothing that a person may do. It can still serve to find people.
        </p>
      ) : (
        // A stop of its own lets the keyboard scroll a long list.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <section className="group-scroll" aria-label="What it gives" tabIndex={0}>
          <ul className="group-gives">
            {capabilities
              .filter(({ name }) => given.includes(name))
              .map(({ name, sentence }) => (
                <li key={name}>
                  <strong>{name}</strong>
                  <span>{sentence}</span>
                </li>
              ))}
          </ul>
        </section>
      )}
    </Card>
  );
}
