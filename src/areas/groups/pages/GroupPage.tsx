import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { Pencil, UserPlus } from 'lucide-react';
import { capabilities } from '../../../../contract/rules/people/capabilities.ts';
import { usePermission } from '../../../api/session.ts';
import { useRequestedAction } from '../../../app/state/requested-action.ts';
import { getGroupCapabilities } from '../../../directory/groups.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { CapabilityList } from '../model/CapabilityList.tsx';
import { useGrantCheck } from '../model/group-capabilities.ts';
import { useGroup } from '../model/use-group.ts';
import { useDeleteItem } from './group-actions.tsx';
import { Members } from './Members.tsx';
import './group-page.css';

/** Page of one group: capabilities and members. */
export function GroupPage() {
  const router = useRouter();
  const group = useGroup();
  const given = getGroupCapabilities(group);
  const update = usePermission('updateGroup');
  const deletion = useDeleteItem(() => router.navigate({ to: '/groups', ignoreBlocker: true }));
  const params = { groupId: group.id };
  const { disabledReason, onSelect } = deletion(group, given);
  useRequestedAction('deleteGroup', onSelect, { id: group.id, disabledReason });
  return (
    <Page
      fill
      breadcrumbs={<Breadcrumbs />}
      title={group.name}
      meta={
        <span className="group-facts">
          <span>{pluralize(group.userCount, 'member', 'members')}</span>
          <span>
            id {group.id} <CopyButton value={String(group.id)} label="Copy id" />
          </span>
          {typeof group.entryId === 'number' && <span>entry id {group.entryId}</span>}
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
          <AddPeopleLink given={given} groupId={group.id} />
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
          <CapabilitiesCard given={given} />
        </div>
      </div>
      <Outlet />
    </Page>
  );
}

type Capabilities = ReturnType<typeof getGroupCapabilities>;

function AddPeopleLink({ given, groupId }: { given: Capabilities; groupId: number }) {
  const { reason } = usePermission('assignGroups');
  const holds = useGrantCheck();
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

/** Capabilities of the group with descriptions. */
function CapabilitiesCard({ given }: { given: Capabilities }) {
  return (
    <Card title={`Grants ${pluralize(given.length, 'capability', 'capabilities')}`}>
      {given.length === 0 ? (
        <p className="card-body group-quiet">
          Membership grants no capabilities. The group can still be used to find people.
        </p>
      ) : (
        // A stop of its own lets the keyboard scroll a long list.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <section className="group-scroll" aria-label="Capabilities of the group" tabIndex={0}>
          <CapabilityList
            items={capabilities
              .filter(({ name }) => given.includes(name))
              .map(({ name, description }) => ({ name, note: description }))}
          />
        </section>
      )}
    </Card>
  );
}
