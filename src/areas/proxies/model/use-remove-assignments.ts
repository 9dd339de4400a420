import type { ProxyPerson } from '../../../../contract/generated/types.gen.ts';
import { changeProxiesMutation, updateProxiesMutation } from '../../../api/generated/queries/proxies.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { toastUndoable } from '../../../app/state/undo.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { formatNames } from './assignments.ts';

const formatAssignmentCount = (number: number) => pluralize(number, 'assignment', 'assignments');
const SESSIONS_END_NOTE = 'Sessions that act through it end immediately.';

/** Actions that remove assignments. Each asks for confirmation and resolves to whether the removal was done. */
export function useRemoveAssignments() {
  const change = useWrite('changeProxies', changeProxiesMutation());
  const update = useWrite('updateProxies', updateProxiesMutation());

  const removeAssignment = async (proxy: ProxyPerson, user: ProxyPerson): Promise<boolean> => {
    const remove = [{ proxyUserId: proxy.id, userId: user.id }];
    const done = await confirm({
      title: `Remove ${proxy.fullName} as a proxy of ${user.fullName}?`,
      body: `Removes this assignment only. ${SESSIONS_END_NOTE}`,
      action: 'Remove assignment',
      danger: true,
      run: () => change.mutateAsync({ body: { remove } }),
    });
    if (done)
      toastUndoable({
        title: `${proxy.fullName} no longer acts for ${user.fullName}`,
        subject: proxy.fullName,
        undone: `${proxy.fullName} may act for ${user.fullName} again`,
        revert: () => change.mutateAsync({ body: { add: remove } }),
      });
    return done;
  };

  /** Removes all assignments of a proxy (spec 2.3: an empty list removes every assignment). */
  const removeAllOfProxy = async (proxy: ProxyPerson, users: readonly ProxyPerson[]): Promise<boolean> => {
    const done = await confirm({
      title: `Remove all ${formatAssignmentCount(users.length)} of ${proxy.fullName}?`,
      body: `${proxy.fullName} will no longer act for ${formatNames(users, 10)}. ${SESSIONS_END_NOTE}`,
      action: `Remove ${formatAssignmentCount(users.length)}`,
      danger: true,
      run: () => update.mutateAsync({ body: { proxyUserId: proxy.id, users: null } }),
    });
    if (done)
      toastUndoable({
        title: `${proxy.fullName} no longer acts for anyone`,
        subject: proxy.fullName,
        undone: `${proxy.fullName} may act for ${formatNames(users, 3)} again`,
        revert: () =>
          change.mutateAsync({
            body: { add: users.map(({ id }) => ({ proxyUserId: proxy.id, userId: id })) },
          }),
      });
    return done;
  };

  /** Removes all proxies of a user. */
  const removeAllOfUser = async (user: ProxyPerson, proxies: readonly ProxyPerson[]): Promise<boolean> => {
    const remove = proxies.map(({ id }) => ({ proxyUserId: id, userId: user.id }));
    const done = await confirm({
      title: `Remove all ${formatAssignmentCount(proxies.length)} for ${user.fullName}?`,
      body: `${formatNames(proxies, 10)} will no longer act for ${user.fullName}. Their other assignments are not affected. ${SESSIONS_END_NOTE}`,
      action: `Remove ${formatAssignmentCount(proxies.length)}`,
      danger: true,
      run: () => change.mutateAsync({ body: { remove } }),
    });
    if (done)
      toastUndoable({
        title: `No one acts for ${user.fullName} anymore`,
        subject: user.fullName,
        undone: `${formatNames(proxies, 3)} may act for ${user.fullName} again`,
        revert: () => change.mutateAsync({ body: { add: remove } }),
      });
    return done;
  };

  return { removeAssignment, removeAllOfProxy, removeAllOfUser };
}
