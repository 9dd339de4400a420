import { useMemo, useState, useId } from 'react';
import type { ProxyPerson } from '../../../../contract/generated/types.gen.ts';
import { changeProxiesMutation, updateProxiesMutation } from '../../../api/generated/queries/proxies.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastUndoable } from '../../../app/state/undo.ts';
import { usePeopleById } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { formatMissingToGrant } from '../../../directory/groups.ts';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import './proxies.css';
import { useGroupCapabilities, formatCapabilities } from '../../groups/index.ts';
import {
  toProxyChanges,
  planAssignments,
  getPassedOnCapabilities,
  getRefusalReason,
  getWithheldCapabilities,
  getReachableCapabilities,
} from '../model/assignment-plan.ts';
import type { AssignmentPlan } from '../model/assignment-plan.ts';
import { formatNames } from '../model/assignments.ts';
import type { Assignments } from '../model/assignments.ts';
import { useAssignments } from '../model/use-assignments.ts';
import { PersonList } from './AssignmentLists.tsx';

const NO_IDS: readonly number[] = [];

interface AssignPanelProps {
  proxyUserId: number | undefined;
  userId: number | undefined;
  onClose: (isSaved: boolean) => void;
  /** Tells which search closes the panel, if it is open through the search. */
  isLeft?: (search: object) => boolean;
}

/** Panel that assigns users to a proxy and shows the effect before saving. */
export function AssignPanel({
  proxyUserId: initialProxyUserId,
  userId: initialUserId,
  onClose,
  isLeft,
}: AssignPanelProps) {
  const { reason } = usePermission('changeProxies');
  const { assignments } = useAssignments();
  const [proxyUserId, setProxyUserId] = useState(initialProxyUserId);
  const [userIds, setUserIds] = useState(initialUserId === undefined ? NO_IDS : [initialUserId]);
  const [replace, setReplace] = useState(false);
  useUnsavedGuard(proxyUserId !== initialProxyUserId || userIds.some((id) => id !== initialUserId), isLeft);
  const ids = useMemo(
    () => [...(proxyUserId === undefined ? [] : [proxyUserId]), ...userIds],
    [proxyUserId, userIds],
  );
  const rows = usePeopleById(ids);
  const getPerson = (id: number): ProxyPerson => {
    const row = rows.get(id);
    const assigned = assignments?.people.get(id);
    return {
      id,
      email: row?.email ?? assigned?.email ?? '',
      fullName: row?.name ?? assigned?.fullName ?? `User ${id}`,
    };
  };
  const proxy = proxyUserId === undefined ? undefined : getPerson(proxyUserId);
  const plan =
    proxy && assignments && planAssignments({ proxyUserId: proxy.id, userIds, replace }, assignments);
  const { save, pending, failure } = useSaveAssignments(onClose);
  const missingInput = !proxy
    ? 'Choose a proxy first'
    : userIds.length === 0
      ? 'Choose at least one user to act for'
      : undefined;
  const noChange =
    plan && plan.add.length + plan.remove.length === 0 ? 'This is already assigned' : undefined;
  const added = useMemo(() => (plan?.add ?? NO_IDS).flatMap((id) => rows.get(id) ?? []), [plan, rows]);
  const missingCapabilities = useMissingCapabilities(added);
  const disabledReason = reason ?? missingInput ?? noChange ?? missingCapabilities;

  return (
    <Panel title="Assign proxy" onClose={() => onClose(false)}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (disabledReason === undefined && !pending && proxy && plan)
            void save({ proxy, userIds, plan, replace, getPerson });
        }}
      >
        <div className="form-body" inert={pending}>
          {failure && <FailureBanner failure={failure} />}
          <AssignFields
            {...{ assignments, rows, plan, replace, getPerson, proxy, userIds }}
            onProxy={(id) => {
              setProxyUserId(id);
              setUserIds(userIds.filter((one) => one !== id));
            }}
            onUsers={setUserIds}
            onReplace={setReplace}
          />
        </div>
        <footer className="form-footer">
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending} disabledReason={disabledReason}>
            {formatSubmitLabel(replace, plan?.add.length ?? userIds.length)}
          </Button>
        </footer>
      </form>
    </Panel>
  );
}

function formatSubmitLabel(replace: boolean, users: number): string {
  if (replace) return 'Replace the list';
  return users === 0 ? 'Assign' : `Assign ${pluralize(users, 'user', 'users')}`;
}

interface SaveInput {
  proxy: ProxyPerson;
  userIds: readonly number[];
  plan: ReturnType<typeof planAssignments>;
  replace: boolean;
  getPerson: (id: number) => ProxyPerson;
}

/** Saves single changes, or replaces the whole list after a confirmation if that removes assignments. */
function useSaveAssignments(onClose: (isSaved: boolean) => void) {
  const change = useWrite('changeProxies', changeProxiesMutation());
  const update = useWrite('updateProxies', updateProxiesMutation());
  const save = async ({ proxy, userIds, plan, replace, getPerson }: SaveInput) => {
    const send = () =>
      replace
        ? update.mutateAsync({ body: { proxyUserId: proxy.id, users: [...userIds] } })
        : change.mutateAsync({ body: toProxyChanges(proxy.id, plan) });
    const removed = plan.remove.map(getPerson);
    const isSaved =
      removed.length === 0
        ? await send().then(
            () => true,
            () => false,
          )
        : await confirm({
            title: `Replace the whole list of ${proxy.fullName}?`,
            body: `Removes ${pluralize(removed.length, 'assignment', 'assignments')}: they will no longer act for ${formatNames(removed, 10)}. The new list has ${pluralize(userIds.length, 'user', 'users')}.`,
            action: 'Replace the list',
            danger: true,
            run: send,
          });
    if (!isSaved) return;
    toastUndoable({
      title: `${proxy.fullName} may act for ${formatNames(userIds.map(getPerson), 3)}`,
      subject: proxy.fullName,
      undone: `${proxy.fullName} has the assignments from before`,
      revert: () =>
        change.mutateAsync({
          body: toProxyChanges(proxy.id, { ...plan, add: plan.remove, remove: plan.add }),
        }),
    });
    onClose(true);
  };
  return {
    save,
    pending: change.isPending || update.isPending,
    failure: change.error ?? update.error,
  };
}

/** Reason why the session may not assign these users: it must hold all capabilities they pass on (contract, updateProxies). */
function useMissingCapabilities(users: readonly DirectoryRow[]): string | undefined {
  const { capabilities } = useSession();
  const groups = useMemo(() => [...new Set(users.flatMap((user) => user.groups))], [users]);
  const missing = formatMissingToGrant(
    capabilities,
    getPassedOnCapabilities(users, useGroupCapabilities(groups)),
  );
  return missing && `They pass on ${missing}, which you do not have`;
}

interface AssignFieldsProps {
  assignments: Assignments | undefined;
  /** Directory rows of the selected people. */
  rows: ReadonlyMap<number, DirectoryRow>;
  plan: AssignmentPlan | undefined;
  proxy: ProxyPerson | undefined;
  userIds: readonly number[];
  replace: boolean;
  getPerson: (id: number) => ProxyPerson;
  onProxy: (id: number | undefined) => void;
  onUsers: (ids: readonly number[]) => void;
  onReplace: (replace: boolean) => void;
}

const NO_ASSIGNED: ReadonlySet<number> = new Set();

/** Fields of the panel: proxy, users, whether to replace the list, and the capabilities the proxy gets. */
function AssignFields(props: AssignFieldsProps) {
  const { assignments, rows, plan, proxy, userIds, replace, getPerson, onProxy, onUsers, onReplace } = props;
  const replaceId = useId();
  const currentUserIds = (proxy && assignments?.usersByProxy.get(proxy.id)) ?? [];
  const assigned = new Set([...userIds, ...(replace ? [] : currentUserIds)]);
  const proxyRow = proxy && rows.get(proxy.id);
  const userRows = userIds.flatMap((id) => rows.get(id) ?? []);
  return (
    <>
      <p className="px-quiet">
        A proxy acts on behalf of a user with that user’s capabilities; both names are recorded. Acting does
        not pass on from one user to the next, and both users must be active.
      </p>
      {proxy ? (
        <section className="px-chosen" aria-label="Proxy">
          <h3 className="field-label">Proxy</h3>
          <PersonList
            people={[proxy]}
            removeLabel={(name) => `Choose a proxy other than ${name}`}
            onRemove={() => onProxy(undefined)}
          />
        </section>
      ) : (
        <PersonPicker
          label="Proxy"
          hint="The user who will act for others."
          placeholder="Name, e-mail or id"
          // The panel is opened to choose a proxy.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          onSelect={onProxy}
          getDisabledReason={(_, person) =>
            getRefusalReason(person, { otherEnd: undefined, assigned: NO_ASSIGNED })
          }
        />
      )}
      {proxyRow?.twoFactor === false && (
        <Banner tone="warn">
          {proxyRow.name} signs in without a second factor: anyone who has their password can act for others.
        </Banner>
      )}
      <section className="px-chosen" aria-label="May act for">
        <PersonPicker
          // The field of the proxy, which had the focus, is gone once one is chosen: this one takes it.
          key={proxy ? 'proxy chosen' : 'no proxy'}
          label="May act for"
          placeholder="Name, e-mail or id"
          // With the proxy chosen, the panel is opened to choose users.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={proxy !== undefined}
          onSelect={(id) => onUsers([...userIds, id])}
          getDisabledReason={(_, person) => getRefusalReason(person, { otherEnd: proxy?.id, assigned })}
        />
        {userIds.length > 0 && (
          <PersonList
            people={userIds.map(getPerson)}
            removesImmediately
            removeLabel={(name) => `Remove ${name}`}
            onRemove={({ id }) => onUsers(userIds.filter((one) => one !== id))}
          />
        )}
      </section>
      {currentUserIds.length > 0 && (
        <Toggle
          kind="checkbox"
          id={replaceId}
          label={`Replace the whole list of ${pluralize(currentUserIds.length, 'assignment', 'assignments')}`}
          hint={
            replace
              ? 'Only the users above stay. You will be asked to confirm what is removed.'
              : `${proxy?.fullName} keeps ${formatNames(currentUserIds.map(getPerson), 3)}.`
          }
          checked={replace}
          onChange={onReplace}
        />
      )}
      {plan && plan.closingCycle.length > 0 && (
        <Banner tone="warn" title="This creates a cycle">
          {formatNames(plan.closingCycle.map(getPerson), 3)} can already act for {proxy?.fullName}, directly
          or through others. No one gains capabilities by it, because acting does not pass on, but it is
          rarely intended.
        </Banner>
      )}
      {proxyRow && userRows.length > 0 && (
        <section className="px-chosen" aria-label="Capabilities when acting">
          <h3 className="field-label">What {proxyRow.firstName} can do as them</h3>
          <CapabilityList proxy={proxyRow} users={userRows} />
        </section>
      )}
    </>
  );
}

/** Capabilities that the proxy can use when acting for the users; those the proxy does not hold are marked. */
function CapabilityList({ proxy, users }: { proxy: DirectoryRow; users: readonly DirectoryRow[] }) {
  const groups = useMemo(
    () => [...new Set([proxy, ...users].flatMap((person) => person.groups))],
    [proxy, users],
  );
  const capabilitiesByGroup = useGroupCapabilities(groups);
  if (capabilitiesByGroup.size < groups.length) return <SkeletonRows rows={3} />;
  const reachable = getReachableCapabilities(proxy, users, capabilitiesByGroup);
  const withheld = getWithheldCapabilities(users, capabilitiesByGroup);
  return (
    <>
      {reachable.length === 0 ? (
        <p className="px-quiet">None: their groups grant no capabilities that can be passed on.</p>
      ) : (
        <ul className="px-reach">
          {reachable.map(({ capability, through, isNew }) => (
            <li key={capability}>
              <span>
                {capability} {isNew && <Badge tone="warn">Not held by {proxy.firstName}</Badge>}
              </span>
              <small>
                through{' '}
                {formatNames(
                  through.map((fullName) => ({ fullName })),
                  3,
                )}
              </small>
            </li>
          ))}
        </ul>
      )}
      {withheld.length > 0 && (
        <p className="px-quiet">Not available through a proxy: {formatCapabilities(withheld)}.</p>
      )}
    </>
  );
}
