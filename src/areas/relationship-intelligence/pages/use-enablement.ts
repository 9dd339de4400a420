import { useQueryClient } from '@tanstack/react-query';
import { startRelationshipUserChangesMutation } from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { showStartedJob } from '../../jobs/index.ts';

/** A person whose enablement changes. */
interface ChangingPerson {
  userId: number;
  name: string;
}

interface Enablement {
  isEnabled: boolean;
  changing: readonly ChangingPerson[];
  /** Number of the chosen people who are in this state already. */
  unchanged?: number;
}

const MAX_NAMES = 5;

/** A name for each of the first people, and how many others there are. */
function listNames(people: readonly ChangingPerson[]): string {
  const names = people.slice(0, MAX_NAMES).map(({ name }) => name);
  const others = people.length - names.length;
  return new Intl.ListFormat('en').format(
    others > 0 ? [...names, pluralize(others, 'other', 'others')] : names,
  );
}

/** Describes what a change of enablement will do, for its confirmation. */
function describeEnablement({ isEnabled, changing, unchanged = 0 }: Enablement): string {
  const state = isEnabled ? 'enabled' : 'disabled';
  const effect = isEnabled
    ? 'Imports take their e-mails and meetings from then on.'
    : 'Imports no longer take their e-mails and meetings. What is stored stays.';
  const rest =
    unchanged > 0
      ? ` ${pluralize(unchanged, 'person is', 'people are')} ${isEnabled ? 'enabled already' : 'not enabled'} and ${unchanged === 1 ? 'stays' : 'stay'} so.`
      : '';
  return `${listNames(changing)} will be ${state}. ${effect}${rest}`;
}

/** Enables people for scoring through a job, or disables them, once the user has agreed to who will change. */
export function useEnablement() {
  const client = useQueryClient();
  const { reason } = usePermission('startRelationshipUserChanges');
  const change = useWrite('startRelationshipUserChanges', startRelationshipUserChangesMutation());
  /** True if the job was started. */
  const ask = (enablement: Enablement): Promise<boolean> => {
    const { isEnabled, changing } = enablement;
    const action = `${isEnabled ? 'Enable' : 'Disable'} ${pluralize(changing.length, 'person', 'people')}`;
    return confirm({
      title: `${action} for relationship scoring?`,
      body: describeEnablement(enablement),
      action,
      run: async () => {
        const userIds = changing.map(({ userId }) => userId);
        showStartedJob(client, await change.mutateAsync({ body: { isEnabled, userIds } }));
      },
    });
  };
  return { ask, reason, isPending: change.isPending };
}
