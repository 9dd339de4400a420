import {
  changeProxiesMutation,
  updateProxiesMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { ProxyPerson } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { counted } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { namesOf } from './words.ts';

const assignments = (number: number) => counted(number, 'assignment', 'assignments');
const ENDS = 'Whoever is working as somebody through this now stops at once.';

/** Taking assignments away; each asks first and resolves to whether it was done. */
export function useRemovals() {
  const change = useWrite('changeProxies', changeProxiesMutation());
  const update = useWrite('updateProxies', updateProxiesMutation());

  const removeOne = async (proxy: ProxyPerson, user: ProxyPerson): Promise<boolean> => {
    const remove = [{ proxyUserId: proxy.id, userId: user.id }];
    const done = await confirm({
      title: `${proxy.fullName} may no longer act for ${user.fullName}?`,
      body: `Removes this one assignment; others stay. ${ENDS}`,
      action: 'Remove assignment',
      danger: true,
      run: () => change.mutateAsync({ body: { remove } }),
    });
    if (done) toast({ title: `${proxy.fullName} no longer acts for ${user.fullName}` });
    return done;
  };

  /** The whole list of a proxy (spec 2.3: an empty list removes every assignment). */
  const clearProxy = async (proxy: ProxyPerson, users: readonly ProxyPerson[]): Promise<boolean> => {
    const done = await confirm({
      title: `Remove all ${assignments(users.length)} of ${proxy.fullName}?`,
      body: `${proxy.fullName} may then act for nobody: not for ${namesOf(users, 10)}. ${ENDS}`,
      action: `Remove ${assignments(users.length)}`,
      danger: true,
      run: () => update.mutateAsync({ body: { proxyUserId: proxy.id, users: null } }),
    });
    if (done) toast({ title: `${proxy.fullName} acts for nobody any more` });
    return done;
  };

  /** Everybody who may act for a user. */
  const clearUser = async (user: ProxyPerson, proxies: readonly ProxyPerson[]): Promise<boolean> => {
    const remove = proxies.map(({ id }) => ({ proxyUserId: id, userId: user.id }));
    const done = await confirm({
      title: `Remove all ${assignments(proxies.length)} for ${user.fullName}?`,
      body: `Nobody may then act for ${user.fullName}: not ${namesOf(proxies, 10)}. What else they may act for stays. ${ENDS}`,
      action: `Remove ${assignments(proxies.length)}`,
      danger: true,
      run: () => change.mutateAsync({ body: { remove } }),
    });
    if (done) toast({ title: `Nobody acts for ${user.fullName} any more` });
    return done;
  };

  return { removeOne, clearProxy, clearUser };
}
