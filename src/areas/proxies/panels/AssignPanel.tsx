import { useMemo, useState } from 'react';
import {
  changeProxiesMutation,
  updateProxiesMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { ProxyPerson } from '../../../api/generated/types.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { usePeople } from '../../../directory/directory.ts';
import { counted } from '../../../lib/numbers.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { AssignFields } from '../pages/AssignFields.tsx';
import { changesOf, planOf } from '../model/plan.ts';
import { useDelegations } from '../model/proxies-query.ts';
import { namesOf } from '../model/words.ts';
import { lackingFor } from '../../../directory/groups.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { useGroupCapabilities } from '../../groups/model/group-capabilities.ts';
import { passedOn } from '../model/reach.ts';
import '../pages/proxies.css';

const NOBODY: readonly number[] = [];

interface AssignPanelProps {
  proxy: number | undefined;
  user: number | undefined;
  /** `done` after it was saved: nothing is lost then. */
  onClose: (done: boolean) => void;
}

/** Chooses a proxy and those they may act for, and says beforehand what that comes to. */
export function AssignPanel({ proxy: proxyBefore, user: userBefore, onClose }: AssignPanelProps) {
  const { reason } = useAllowed('changeProxies');
  const { delegations } = useDelegations();
  const [proxyUserId, setProxy] = useState(proxyBefore);
  const [userIds, setUsers] = useState(userBefore === undefined ? NOBODY : [userBefore]);
  const [replace, setReplace] = useState(false);
  useUnsavedGuard(proxyUserId !== proxyBefore || userIds.some((id) => id !== userBefore));
  const ids = useMemo(
    () => [...(proxyUserId === undefined ? [] : [proxyUserId]), ...userIds],
    [proxyUserId, userIds],
  );
  const rows = usePeople(ids);
  const personOf = (id: number): ProxyPerson => {
    const row = rows.get(id);
    const assigned = delegations?.people.get(id);
    return {
      id,
      email: row?.email ?? assigned?.email ?? '',
      fullName: row?.name ?? assigned?.fullName ?? `User ${id}`,
    };
  };
  const proxy = proxyUserId === undefined ? undefined : personOf(proxyUserId);
  const plan = proxy && delegations && planOf({ proxyUserId: proxy.id, userIds, replace }, delegations);
  const { save, pending, failure } = useSaving(onClose);
  const notYet = !proxy
    ? 'Choose the proxy first'
    : userIds.length === 0
      ? 'Choose for whom they may act'
      : undefined;
  const nothing = plan && plan.add.length + plan.remove.length === 0 ? 'That is assigned already' : undefined;
  const added = useMemo(() => (plan?.add ?? NOBODY).flatMap((id) => rows.get(id) ?? []), [plan, rows]);
  const notHeld = useNotHeld(added);
  const why = reason ?? notYet ?? nothing ?? notHeld;

  return (
    <Panel title="Assign proxy" onClose={() => onClose(false)}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (why === undefined && !pending && proxy && plan)
            void save({ proxy, userIds, plan, replace, personOf });
        }}
      >
        <div className="form-body">
          {failure && <FailureBanner failure={failure} />}
          <AssignFields
            {...{ delegations, rows, plan, replace, personOf, proxy, userIds }}
            onProxy={(id) => {
              setProxy(id);
              setUsers(userIds.filter((one) => one !== id));
            }}
            onUsers={setUsers}
            onReplace={setReplace}
          />
        </div>
        <footer className="form-footer">
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending} disabledReason={why}>
            {submitWords(replace, plan?.add.length ?? userIds.length)}
          </Button>
        </footer>
      </form>
    </Panel>
  );
}

function submitWords(replace: boolean, users: number): string {
  if (replace) return 'Replace the list';
  return users === 0 ? 'Assign' : `Assign ${counted(users, 'user', 'users')}`;
}

interface Saving {
  proxy: ProxyPerson;
  userIds: readonly number[];
  plan: ReturnType<typeof planOf>;
  replace: boolean;
  personOf: (id: number) => ProxyPerson;
}

/** Sends single changes, or the whole list where it is replaced; what that removes is asked about first. */
function useSaving(onClose: (done: boolean) => void) {
  const change = useWrite('changeProxies', changeProxiesMutation());
  const update = useWrite('updateProxies', updateProxiesMutation());
  const save = async ({ proxy, userIds, plan, replace, personOf }: Saving) => {
    const send = () =>
      replace
        ? update.mutateAsync({ body: { proxyUserId: proxy.id, users: [...userIds] } })
        : change.mutateAsync({ body: changesOf(proxy.id, plan) });
    const gone = plan.remove.map(personOf);
    const done =
      gone.length === 0
        ? await send().then(
            () => true,
            () => false,
          )
        : await confirm({
            title: `Replace the whole list of ${proxy.fullName}?`,
            body: `Removes ${counted(gone.length, 'assignment', 'assignments')}: they may no longer act for ${namesOf(gone, 10)}. ${counted(userIds.length, 'user stands', 'users stand')} in the new list.`,
            action: 'Replace the list',
            danger: true,
            run: send,
          });
    if (!done) return;
    toast({ title: `${proxy.fullName} may act for ${namesOf(userIds.map(personOf), 3)}` });
    onClose(true);
  };
  return {
    save,
    pending: change.isPending || update.isPending,
    failure: change.error ?? update.error,
  };
}

/** Why nobody can be assigned to these users: whoever assigns holds all that they pass on (contract, updateProxies). */
function useNotHeld(users: readonly DirectoryRow[]): string | undefined {
  const { capabilities } = useSession();
  const groups = useMemo(() => [...new Set(users.flatMap((user) => user.groups))], [users]);
  const missing = lackingFor(capabilities, passedOn(users, useGroupCapabilities(groups)));
  return missing && `They pass on ${missing}, which you do not have`;
}
